// Hundreds of collectives of all kinds over two teams are in flight at once; their events are synchronised in another order than they were made.
#include "check_ex.h"
#include <gasnet_coll.h>

#define MANY 600

static gex_Event_t events[MANY];
static gex_Rank_t roots[MANY];
static char is_mine[MANY];
static uint64_t src[MANY][20], dst[MANY][20];

int main(int argc, char **argv) {
  gex_TM_t back;
  uint64_t state = 5;
  int i, j, round;
  check_start(&argc, &argv, NULL, 0, KiB(64));
  gex_TM_Split(&back, world, 3, -(int)me, NULL, 0, GEX_FLAG_TM_NO_SCRATCH);
  CHECK_EQ(gex_TM_QueryRank(back), nranks - 1 - me);
  for (round = 0; round < 3; round++) {
    for (i = 0; i < MANY; i++) {
      gex_TM_t tm = rnd(&state) & 1 ? world : back;
      gex_Rank_t root = (gex_Rank_t)(rnd(&state) % nranks);
      for (j = 0; j < 20; j++) src[i][j] = (uint64_t)i * 1000 + (uint64_t)j + gex_TM_QueryRank(tm), dst[i][j] = 99;
      switch (i % 4) {
        case 0: events[i] = gex_Coll_ReduceToAllNB(tm, dst[i], src[i], GEX_DT_U64, 8, 20, GEX_OP_ADD, NULL, NULL, 0); break;
        case 1: events[i] = gex_Coll_BarrierNB(tm, 0); break;
        case 2: events[i] = gex_Coll_BroadcastNB(tm, root, dst[i], src[i], sizeof src[i], 0); break;
        default: events[i] = gex_Coll_ReduceToOneNB(tm, root, dst[i], src[i], GEX_DT_U64, 8, 20, GEX_OP_MAX, NULL, NULL, 0);
      }
      is_mine[i] = i % 4 != 3 || root == gex_TM_QueryRank(tm);
      roots[i] = root;
    }
    /* odd ones from the back one by one, the rest as a list */
    for (i = MANY - 1; i > 0; i -= 2)
      if (i % 3) gex_Event_Wait(events[i]), events[i] = GEX_EVENT_INVALID;
      else { while (gex_Event_Test(events[i])) gasnet_AMPoll(); events[i] = GEX_EVENT_INVALID; }
    gex_Event_WaitAll(events, MANY, 0);
    for (i = 0; i < MANY; i += 4)
      for (j = 0; j < 20; j++)
        CHECK_EQ(dst[i][j], ((uint64_t)i * 1000 + (uint64_t)j) * nranks + (uint64_t)nranks * (nranks - 1) / 2);
    for (i = 2; i < MANY; i += 4)
      for (j = 0; j < 20; j++) CHECK_EQ(dst[i][j], (uint64_t)i * 1000 + (uint64_t)j + roots[i]);
    for (i = 3; i < MANY; i += 4)
      for (j = 0; j < 20; j++)
        CHECK_EQ(dst[i][j], is_mine[i] ? (uint64_t)i * 1000 + (uint64_t)j + nranks - 1 : 99);
    barrier();
  }
  gex_TM_Destroy(back, NULL, 0);
  return check_end();
}
