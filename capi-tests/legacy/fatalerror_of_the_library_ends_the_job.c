// gasneti_fatalerror, which a runtime calls without the tools' header, is one line, and ends the job.
// ranks: 1 2
// expect: exit 134; stderr /FATAL ERROR.*the 3rd thing is wrong/
#include "check.h"

int main(int argc, char **argv) {
  check_start(&argc, &argv, NULL, 0, 0);
  if (me == 0) gasneti_fatalerror("the %drd thing is %s", 3, "wrong");
  barrier();
  gasnet_exit(0);
  return 0;
}
