/* Opening a library while the program runs. Weak: a static program, which cannot, is not made to try. */
#include <dlfcn.h>
#include <stddef.h>

extern void *dlopen(const char *, int) __attribute__((weak));
extern void *dlsym(void *, const char *) __attribute__((weak));

void *dl_open_if_can(const char *name, int global);
void *dl_symbol_if_can(void *library, const char *name);

void *dl_open_if_can(const char *name, int global) {
  return dlopen && dlsym ? dlopen(name, RTLD_NOW | (global ? RTLD_GLOBAL : RTLD_LOCAL)) : NULL;
}

void *dl_symbol_if_can(void *library, const char *name) { return dlsym ? dlsym(library, name) : NULL; }
