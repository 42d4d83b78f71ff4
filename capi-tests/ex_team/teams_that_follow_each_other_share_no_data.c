// Teams are made and destroyed in turn, so that their memory is that of teams before them; many small collectives are in flight on each, and their results
// are of this team alone.
#include "check_ex.h"
#include <gasnet_coll.h>

enum { TURNS = 12, FLIGHT = 80, MOST = 24 };

int main(int argc, char **argv) {
  static int64_t sum[FLIGHT][MOST], given[FLIGHT][MOST], sent[FLIGHT][MOST], got[FLIGHT][MOST];
  gex_Event_t events[2 * FLIGHT];
  int turn, i, k;
  check_start(&argc, &argv, NULL, 0, GASNET_PAGESIZE);
  for (turn = 0; turn < TURNS; turn++) {
    /* in turn all ranks, two halves, and all but the last */
    int color = turn % 3 == 1 ? (int)(me % 2) : turn % 3 == 2 ? (int)(me == nranks - 1) : 0;
    gex_TM_t team;
    gex_Rank_t size, rank, root;
    gex_TM_Split(&team, world, color, (int)me, NULL, 0, GEX_FLAG_TM_NO_SCRATCH);
    size = gex_TM_QuerySize(team), rank = gex_TM_QueryRank(team);
    for (i = 0; i < FLIGHT; i++) {
      /* lengths differ from those of the turns before and after */
      int n = 1 + (i + 5 * turn) % MOST;
      root = (gex_Rank_t)(i + turn) % size;
      for (k = 0; k < n; k++) {
        given[i][k] = 1000 * turn + i + (int64_t)rank, sum[i][k] = -1;
        sent[i][k] = 1000000 * (turn + 1) + 100 * i + (int64_t)rank, got[i][k] = -1;
      }
      events[2 * i] = gex_Coll_ReduceToAllNB(team, sum[i], given[i], GEX_DT_I64, 8, (size_t)n, GEX_OP_ADD, NULL, NULL, 0);
      events[2 * i + 1] = gex_Coll_BroadcastNB(team, root, got[i], sent[i], 8 * (size_t)n, 0);
    }
    gex_Event_WaitAll(events, 2 * FLIGHT, 0);
    for (i = 0; i < FLIGHT; i++) {
      int n = 1 + (i + 5 * turn) % MOST;
      root = (gex_Rank_t)(i + turn) % size;
      for (k = 0; k < n; k++) {
        CHECK_EQ(sum[i][k], (int64_t)size * (1000 * turn + i) + (int64_t)size * (size - 1) / 2);
        CHECK_EQ(got[i][k], 1000000 * (turn + 1) + 100 * i + (int64_t)root);
      }
    }
    gex_TM_Destroy(team, NULL, 0);
  }
  return check_end();
}
