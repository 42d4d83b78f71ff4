// Started without GASNET_PSHM_NODES, the program is a job of one rank.
// ranks: 1
// wrap: env -u GASNET_PSHM_NODES
#include "check.h"

int main(int argc, char **argv) {
  check_start(&argc, &argv, NULL, 0, GASNET_PAGESIZE);
  CHECK_EQ(nranks, 1);
  CHECK_EQ(me, 0);
  return check_end();
}
