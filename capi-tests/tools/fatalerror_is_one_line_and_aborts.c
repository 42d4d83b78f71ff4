// gasnett_fatalerror prints its text in one line that names the process, and ends the job as abort() would.
// ranks: 1 2 4
// once: yes
// expect: exit 134; stderr /^\*\*\* FATAL ERROR .proc [0-9]+.: the answer is 42 at .*[.]c:10$/; no-stderr /backtrace|panicked/
#include "check.h"
#include <gasnet_tools.h>

int main(int argc, char **argv) {
  check_start(&argc, &argv, NULL, 0, 0);
  if (me == nranks - 1) gasnett_fatalerror("the answer is %d", 42);
  for (;;) gasnet_AMPoll();
}
