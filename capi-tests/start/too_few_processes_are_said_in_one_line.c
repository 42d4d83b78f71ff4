// If a user may have fewer processes than a job needs, the job ends with one line that names the process that could not be
// started, and the limit.
// ranks: 4
// modes: par seq
// once: yes
// needs: setpriv --reuid 54321 --regid 54321 --clear-groups test -r "$here/start/too_few_processes_are_said_in_one_line.c"
// env: PROGRAM=$exe
// wrap: bash $here/start/few_processes
#include "check.h"

int main(int argc, char **argv) {
  check_start(&argc, &argv, NULL, 0, KiB(64));
  return check_end();
}
