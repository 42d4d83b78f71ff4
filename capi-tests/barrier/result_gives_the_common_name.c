// gasnet_barrier_result gives 0 and the name on every rank, the anonymous ones too, and non-zero if all were anonymous.
// ranks: 2 3 4 7
#include "check.h"

int main(int argc, char **argv) {
  gasnet_node_t one;
  int id;
  check_start(&argc, &argv, NULL, 0, GASNET_PAGESIZE);
  for (one = 0; one < nranks; one++) {
    CHECK_EQ(gasnet_barrier(300 + (int)one, 0), GASNET_OK);
    id = -1;
    CHECK_EQ(gasnet_barrier_result(&id), 0);
    CHECK_EQ(id, 300 + (int)one);
    CHECK_EQ(gasnet_barrier(me == one ? 400 : 17, me == one ? 0 : GASNET_BARRIERFLAG_ANONYMOUS), GASNET_OK);
    id = -1;
    CHECK_EQ(gasnet_barrier_result(&id), 0);
    CHECK_EQ(id, 400);
    CHECK_EQ(gasnet_barrier(55, GASNET_BARRIERFLAG_ANONYMOUS), GASNET_OK);
    id = -1;
    CHECK(gasnet_barrier_result(&id) != 0);
  }
  return check_end();
}
