/* Opening a library while the program runs. Weak: a static program, which cannot, is not made to try. */
#include <dlfcn.h>
#include <stddef.h>

extern void *dlopen(const char *, int) __attribute__((weak));
extern void *dlsym(void *, const char *) __attribute__((weak));
extern char *dlerror(void) __attribute__((weak));
extern int dladdr(const void *, Dl_info *) __attribute__((weak));

void *dl_open_if_can(const char *name, int global);
void *dl_symbol_if_can(void *library, const char *name);
const char *dl_error_if_can(void);
const char *dl_file_if_can(const void *address);
const char *dl_shims_installed_in(void);

/* `name` may be NULL: the program itself, and the libraries that it has opened with RTLD_GLOBAL. */
void *dl_open_if_can(const char *name, int global) {
  return dlopen && dlsym ? dlopen(name, RTLD_NOW | (global ? RTLD_GLOBAL : RTLD_LOCAL)) : NULL;
}

void *dl_symbol_if_can(void *library, const char *name) { return dlsym ? dlsym(library, name) : NULL; }

/* Why the last call failed; NULL if nothing is known. */
const char *dl_error_if_can(void) { return dlopen && dlerror ? dlerror() : "this program is static, and cannot open libraries"; }

/* The file that `address` was loaded from; NULL if nothing is known. */
const char *dl_file_if_can(const void *address) {
  Dl_info info;
  return dladdr && dladdr(address, &info) ? info.dli_fname : NULL;
}

/* `make install` writes the directory of the shims behind the mark (pkgconfig/place). */
static volatile const char placed[1024] = "GASNETI_INSTALLED_IN=";

const char *dl_shims_installed_in(void) { return (const char *)placed + sizeof "GASNETI_INSTALLED_IN=" - 1; }
