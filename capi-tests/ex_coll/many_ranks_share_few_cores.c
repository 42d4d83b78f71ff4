// Sixteen ranks on all cores of the machine: all kinds of collectives, small and large, over all, halves and fours, agree with the results that each rank computes by itself.
// ranks: 12 16
// modes: seq par
#include "check_ex.h"
#include <gasnet_coll.h>

static double src[9000], dst[9000];

static void on(gex_TM_t tm, int n, int round) {
  gex_Rank_t size = gex_TM_QuerySize(tm), rank = gex_TM_QueryRank(tm), root = (gex_Rank_t)round % size;
  int i;
  for (i = 0; i < n; i++) src[i] = i + rank;
  gex_Event_Wait(gex_Coll_ReduceToAllNB(tm, dst, src, GEX_DT_DBL, 8, (size_t)n, GEX_OP_ADD, NULL, NULL, 0));
  for (i = 0; i < n; i++) CHECK(dst[i] == i * (double)size + size * (size - 1.0) / 2);
  memset(dst, 0, sizeof dst);
  gex_Event_Wait(gex_Coll_ReduceToOneNB(tm, root, dst, src, GEX_DT_DBL, 8, (size_t)n, GEX_OP_MAX, NULL, NULL, 0));
  for (i = 0; i < n; i++) CHECK(dst[i] == (rank == root ? i + size - 1.0 : 0));
  gex_Event_Wait(gex_Coll_BroadcastNB(tm, root, dst, src, (size_t)n * 8, 0));
  for (i = 0; i < n; i++) CHECK(dst[i] == i + root);
  gex_Event_Wait(gex_Coll_BarrierNB(tm, 0));
}

int main(int argc, char **argv) {
  static const int counts[] = { 1, 14, 15, 700, 9000 };
  gex_TM_t half, four;
  int c, round;
  check_start(&argc, &argv, NULL, 0, KiB(64));
  gex_TM_Split(&half, world, (int)me % 2, (int)me, NULL, 0, GEX_FLAG_TM_NO_SCRATCH);
  gex_TM_Split(&four, half, (int)me / 8, -(int)me, NULL, 0, GEX_FLAG_TM_NO_SCRATCH);
  for (round = 0; round < 20; round++)
    for (c = 0; c < COUNT_OF(counts); c++) {
      on(world, counts[c], round);
      on(four, counts[c], round);
      on(half, counts[c], round);
    }
  gex_TM_Destroy(half, NULL, 0);
  gex_TM_Destroy(four, NULL, 0);
  return check_end();
}
