// For each rank as the odd one: equal names match, one other name is a mismatch on at least one rank, anonymous matches all, MISMATCH reaches every rank.
#include "check.h"

static int split;
static int cross(int id, int flags) {
  int rc;
  if (!split) return gasnet_barrier(id, flags);
  gasnet_barrier_notify(id, flags);
  if (split == 1) return gasnet_barrier_wait(id, flags);
  while ((rc = gasnet_barrier_try(id, flags)) == GASNET_ERR_NOT_READY) gasnet_AMPoll();
  return rc;
}

int main(int argc, char **argv) {
  gasnet_node_t odd, second;
  int round;
  check_start(&argc, &argv, NULL, 0, GASNET_PAGESIZE);
  for (round = 0; round < 3; round++)
    for (split = 0; split < 3; split++) {
      int id = 1000 * round - 5 + split;
      CHECK_EQ(cross(id, 0), GASNET_OK);
      CHECK_EQ(cross(0, 0), GASNET_OK);
      CHECK_EQ(cross(INT32_MIN, 0), GASNET_OK);
      CHECK_EQ(cross((int)me, GASNET_BARRIERFLAG_ANONYMOUS), GASNET_OK);
      CHECK_EQ(cross(0, GASNET_BARRIERFLAG_MISMATCH), GASNET_ERR_BARRIER_MISMATCH);
      for (odd = 0; odd < nranks; odd++) {
        int mine = me == odd, rc;
        /* one anonymous among named, one named among anonymous */
        CHECK_EQ(cross(id, mine ? GASNET_BARRIERFLAG_ANONYMOUS : 0), GASNET_OK);
        CHECK_EQ(cross(mine ? id : 77, mine ? 0 : GASNET_BARRIERFLAG_ANONYMOUS), GASNET_OK);
        /* one forces a mismatch on all, named or anonymous */
        CHECK_EQ(cross(id, mine ? GASNET_BARRIERFLAG_MISMATCH : 0), GASNET_ERR_BARRIER_MISMATCH);
        CHECK_EQ(cross(id, mine ? GASNET_BARRIERFLAG_MISMATCH : GASNET_BARRIERFLAG_ANONYMOUS), GASNET_ERR_BARRIER_MISMATCH);
        /* one other name */
        rc = cross(mine ? id + 1 : id, 0);
        if (nranks > 1) CHECK_EQ(rc, GASNET_ERR_BARRIER_MISMATCH);
        else CHECK_EQ(rc, GASNET_OK);
        CHECK_EQ(cross(id, 0), GASNET_OK);
        /* two names, the rest anonymous: both named ranks must see it */
        second = (odd + 1) % nranks;
        if (nranks > 1) {
          rc = cross(mine ? id : id + 1, mine || me == second ? 0 : GASNET_BARRIERFLAG_ANONYMOUS);
          if (mine || me == second) CHECK_EQ(rc, GASNET_ERR_BARRIER_MISMATCH);
          else CHECK(rc == GASNET_OK || rc == GASNET_ERR_BARRIER_MISMATCH);
          CHECK_EQ(cross(id, 0), GASNET_OK);
        }
      }
    }
  return check_end();
}
