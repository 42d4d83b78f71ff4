// Each value of GASNET_BARRIER: matches, mismatches and results are the same.
// ranks: 1 2 3 7 8
// modes: par
// once: yes
// wrap: env GASNET_BARRIER=$CASE
// case PSHM: exit 0
// case DISSEM: exit 0
// case AMDISSEM: exit 0
// case AMCENTRAL: exit 0
#include "check.h"

int main(int argc, char **argv) {
  gasnet_node_t odd;
  int id, i;
  check_start(&argc, &argv, NULL, 0, GASNET_PAGESIZE);
  for (i = 0; i < 10; i++)
    for (odd = 0; odd < nranks; odd++) {
      CHECK_EQ(gasnet_barrier(me == odd ? 8 : 9, 0), nranks > 1 ? GASNET_ERR_BARRIER_MISMATCH : GASNET_OK);
      CHECK_EQ(gasnet_barrier(9, me == odd ? GASNET_BARRIERFLAG_MISMATCH : 0), GASNET_ERR_BARRIER_MISMATCH);
      CHECK_EQ(gasnet_barrier(9, me == odd ? GASNET_BARRIERFLAG_ANONYMOUS : 0), GASNET_OK);
      if (nranks > 1) CHECK(gasnet_barrier_result(&id) == 0 && id == 9);
      CHECK_EQ(gasnet_barrier(0, GASNET_BARRIERFLAG_UNNAMED), GASNET_OK);
    }
  return check_end();
}
