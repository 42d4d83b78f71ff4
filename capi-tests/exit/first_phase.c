// A fatal error before there are ranks, or in a rank's first steps, is reported in one line, and the job's code is 134.
// ranks: 3
// once: yes
// wrap: bash $here/exit/first_phase_check
#include "check.h"

int main(int argc, char **argv) {
  check_start(&argc, &argv, NULL, 0, KiB(64));
  return check_end();
}
