// gasnet_coll_barrier over a part of the ranks compares names as gasnet_barrier does, without regard to other teams.
#include "check_ex.h"
#include <gasnet_coll.h>

static int split;
static int cross(gex_TM_t tm, int id, int flags) {
  int rc;
  if (!split) return gasnet_coll_barrier(tm, id, flags);
  gasnet_coll_barrier_notify(tm, id, flags);
  if (split == 1) return gasnet_coll_barrier_wait(tm, id, flags);
  while ((rc = gasnet_coll_barrier_try(tm, id, flags)) == GASNET_ERR_NOT_READY) gasnet_AMPoll();
  return rc;
}

int main(int argc, char **argv) {
  gex_TM_t part;
  gex_Rank_t size, rank, odd;
  int id;
  check_start(&argc, &argv, NULL, 0, KiB(64));
  gex_TM_Split(&part, world, (int)me % 2, 0, NULL, 0, GEX_FLAG_TM_NO_SCRATCH);
  size = gex_TM_QuerySize(part), rank = gex_TM_QueryRank(part);
  for (split = 0; split < 3; split++)
    for (odd = 0; odd < nranks; odd++) {
      int name = -7 + (int)odd + (int)(me % 2) * 50, mine = rank == odd % size;
      CHECK_EQ(cross(part, name, 0), GASNET_OK);
      CHECK_EQ(gasnet_coll_barrier_result(part, &id), 0);
      CHECK_EQ(id, name);
      CHECK_EQ(cross(part, mine ? 3 : name, mine ? GASNET_BARRIERFLAG_ANONYMOUS : 0), GASNET_OK);
      CHECK_EQ(cross(part, mine ? name + 1 : name, 0), size > 1 ? GASNET_ERR_BARRIER_MISMATCH : GASNET_OK);
      CHECK_EQ(cross(part, name, mine ? GASNET_BARRIERFLAG_MISMATCH : 0), GASNET_ERR_BARRIER_MISMATCH);
      CHECK_EQ(cross(part, (int)rank, GASNET_BARRIERFLAG_ANONYMOUS), GASNET_OK);
      CHECK(gasnet_coll_barrier_result(part, &id) != 0);
      CHECK_EQ(cross(GASNET_TEAM_ALL, 5, 0), GASNET_OK);
    }
  gex_TM_Destroy(part, NULL, 0);
  return check_end();
}
