/* The debugging interface's share of C: functions with a variable number of arguments, which format and then
   call Rust, the variables that a client may define or assign, and volatile. */
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "gasneti/tools_debug.h"

/* abi/tools_env.rs */
_Noreturn void gasneti_fatal_text(const char *text, int with_place);
int gasneti_default_print_backtrace_ifenabled(int fd);
void gasneti_freeze(int *flag, const char *name);

/* A client's own definition takes this one's place. */
__attribute__((weak)) gasnett_backtrace_type_t gasnett_backtrace_user = {NULL, NULL, 0};

/* Called by every fatal error; a client may point it elsewhere. */
int (*gasnett_print_backtrace_ifenabled)(int fd) = gasneti_default_print_backtrace_ifenabled;

void gasnett_freezeForDebuggerNow(volatile int *flag, const char *flagsymname) {
  gasneti_freeze((int *)flag, flagsymname); /* which reads and writes it as volatile */
}

static _Noreturn void fail(const char *format, va_list arguments, int with_place) {
  char text[4096];
  vsnprintf(text, sizeof text, format, arguments);
  gasneti_fatal_text(text, with_place);
}

__attribute__((format(printf, 1, 2))) _Noreturn void gasnett_fatalerror(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fail(format, arguments, 1);
}

__attribute__((format(printf, 1, 2))) _Noreturn void gasnett_fatalerror_nopos(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fail(format, arguments, 0);
}

/* The name that some runtimes call. */
__attribute__((format(printf, 1, 2))) _Noreturn void gasneti_fatalerror(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fail(format, arguments, 0);
}
