// The signal that GASNET_BACKTRACE_SIGNAL names makes a rank print a backtrace and go on, even if it is one that ends jobs.
// ranks: 1 2
// once: yes
// env: GASNET_BACKTRACE_TYPE=EXECINFO
// cflags: -g -O0
// needs: command -v addr2line || command -v llvm-addr2line
// wrap: env GASNET_BACKTRACE_SIGNAL=$CASE
// case USR2: exit 0; stderr /Backtrace on signal 12/; stderr /^#[0-9]+ .* in main at .*goes_on.c:[0-9]+/
// case SIGINT: exit 0; stderr /Backtrace on signal 2,/; stderr /^#[0-9]+ .* in main at .*goes_on.c:[0-9]+/
#include "check.h"
#include <signal.h>

int main(int argc, char **argv) {
  check_start(&argc, &argv, NULL, 0, 0);
  raise(strcmp(argv[1], "USR2") == 0 ? SIGUSR2 : SIGINT);
  return check_end();
}
