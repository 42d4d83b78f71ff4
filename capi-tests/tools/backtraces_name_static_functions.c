// A backtrace by the C library's mechanism names functions, files and lines of the program, of static functions, too, in a program that lies anywhere.
// ranks: 1
// modes: par
// once: yes
// cflags: -g -O0 -fPIE -pie
// needs: command -v addr2line || command -v llvm-addr2line
// env: GASNET_BACKTRACE=1 GASNET_BACKTRACE_TYPE=EXECINFO
// every case: exit 134; stderr /^#[0-9]+ +0x[0-9a-f]+ in innermost at .*backtraces_name_static_functions.c:14/; stderr /in outer at .*backtraces_name_static_functions.c:19/; stderr /in main at .*static_functions.c:24/
// case fatal: stderr /FATAL ERROR: on purpose/
// case abort: stderr /innermost/
#include "tools_check.h"

static void __attribute__((noinline)) innermost(int by_abort) {
  by_abort ? (gasnett_print_backtrace_ifenabled(2), abort()) : gasnett_fatalerror("on purpose");
}

static void __attribute__((noinline)) outer(int by_abort) {
  gasnett_backtrace_init("self");
  innermost(by_abort);
  printf("not here\n");
}

int main(int argc, char **argv) {
  outer(argc > 1 && !strcmp(argv[1], "abort"));
  return check_end();
}
