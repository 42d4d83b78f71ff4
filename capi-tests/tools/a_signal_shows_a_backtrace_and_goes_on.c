// The signal that GASNET_BACKTRACE_SIGNAL names makes a rank print a backtrace and go on.
// ranks: 1 2
// once: yes
// env: GASNET_BACKTRACE_SIGNAL=USR2 GASNET_BACKTRACE_TYPE=EXECINFO
// expect: exit 0; stderr /Backtrace on signal/; stderr /\(.*\+0x/
#include "check.h"
#include <signal.h>

int main(int argc, char **argv) {
  check_start(&argc, &argv, NULL, 0, 0);
  raise(SIGUSR2);
  return check_end();
}
