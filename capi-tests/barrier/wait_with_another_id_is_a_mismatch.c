// A named wait or try with an id other than that rank's named notify gives MISMATCH there; mixing named and anonymous between notify and wait does not.
#include "check.h"

int main(int argc, char **argv) {
  gasnet_node_t odd;
  int rc;
  check_start(&argc, &argv, NULL, 0, GASNET_PAGESIZE);
  for (odd = 0; odd < nranks; odd++) {
    gasnet_barrier_notify(5, 0);
    rc = gasnet_barrier_wait(me == odd ? 6 : 5, 0);
    CHECK_EQ(rc, me == odd ? GASNET_ERR_BARRIER_MISMATCH : GASNET_OK);
    gasnet_barrier_notify(5, 0);
    while ((rc = gasnet_barrier_try(me == odd ? 6 : 5, 0)) == GASNET_ERR_NOT_READY) gasnet_AMPoll();
    CHECK_EQ(rc, me == odd ? GASNET_ERR_BARRIER_MISMATCH : GASNET_OK);
    gasnet_barrier_notify(7, me == odd ? GASNET_BARRIERFLAG_ANONYMOUS : 0);
    CHECK_EQ(gasnet_barrier_wait(7, 0), GASNET_OK);
    gasnet_barrier_notify(7, 0);
    CHECK_EQ(gasnet_barrier_wait(99, GASNET_BARRIERFLAG_ANONYMOUS), GASNET_OK);
    gasnet_barrier_notify(12, GASNET_BARRIERFLAG_ANONYMOUS);
    CHECK_EQ(gasnet_barrier_wait(12, GASNET_BARRIERFLAG_ANONYMOUS), GASNET_OK);
  }
  return check_end();
}
