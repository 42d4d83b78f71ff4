// gasnetrun_smp -n N runs the program with N ranks and its own arguments.
// ranks: 1 3
// once: yes
// wrap: env -u GASNET_PSHM_NODES $PREFIX/bin/gasnetrun_smp -n $RANKS
// args: -n 9 x
#include "check.h"

int main(int argc, char **argv) {
  check_start(&argc, &argv, NULL, 0, GASNET_PAGESIZE);
  CHECK(nranks == 1 || nranks == 3);
  CHECK_EQ(argc, 4);
  CHECK(strcmp(argv[1], "-n") == 0 && strcmp(argv[2], "9") == 0 && strcmp(argv[3], "x") == 0);
  return check_end();
}
