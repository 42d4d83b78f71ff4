// The event of a barrier is not complete before the last member has started it, and earlier writes of members are visible afterwards; teams are independent.
#include "check_ex.h"
#include <gasnet_coll.h>

int main(int argc, char **argv) {
  gex_TM_t half;
  gex_Rank_t late, r, size, rank;
  int round;
  check_start(&argc, &argv, NULL, 0, KiB(64));
  gex_TM_Split(&half, world, (int)me % 2, (int)me, NULL, 0, GEX_FLAG_TM_NO_SCRATCH);
  size = gex_TM_QuerySize(half), rank = gex_TM_QueryRank(half);
  for (round = 1; round <= 3; round++)
    for (late = 0; late < size; late++) {
      uint32_t word = (uint32_t)(round * 100) + late;
      gex_Event_t event;
      if (rank == late && size > 1) {
        int i;
        for (i = 0; i < 200; i++) gasnet_AMPoll(), usleep(20);
      }
      for (r = 0; r < size; r++) {
        gex_Rank_t to = gex_TM_TranslateRankToJobrank(half, r);
        gex_RMA_PutBlocking(half, r, seg(to) + 8 * rank, &word, sizeof word, 0);
      }
      event = gex_Coll_BarrierNB(half, 0);
      while (gex_Event_Test(event)) gasnet_AMPoll();
      for (r = 0; r < size; r++) CHECK_EQ(*(volatile uint32_t *)(seg(me) + 8 * r), word);
      gex_Event_Wait(gex_Coll_BarrierNB(half, 0));
    }
  gex_TM_Destroy(half, NULL, 0);
  return check_end();
}
