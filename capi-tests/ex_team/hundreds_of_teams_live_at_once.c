// Hundreds of teams are alive at once, with small and large collectives in flight on all of them, and are destroyed in another order.
// ranks: 2 4
#include "check_ex.h"
#include <gasnet_coll.h>

#define TEAMS 700
#define LARGE 3000

static gex_TM_t teams[TEAMS];
static gex_Event_t events[2 * TEAMS];
static uint32_t sums[TEAMS], ones[TEAMS];
static char bytes[TEAMS][LARGE];

int main(int argc, char **argv) {
  int i, round;
  check_start(&argc, &argv, NULL, 0, KiB(64));
  for (round = 0; round < 2; round++) {
    for (i = 0; i < TEAMS; i++)
      gex_TM_Split(&teams[i], world, i % 3 ? 0 : (int)me % 2, i % 2 ? (int)me : -(int)me, NULL, 0, GEX_FLAG_TM_NO_SCRATCH);
    for (i = 0; i < TEAMS; i++) {
      int is_root = gex_TM_QueryRank(teams[i]) == 0;
      ones[i] = 1;
      if (is_root) fill(bytes[i], LARGE, (unsigned)i);
      events[2 * i] = gex_Coll_BroadcastNB(teams[i], 0, bytes[i], bytes[i], LARGE, 0);
      events[2 * i + 1] = gex_Coll_ReduceToAllNB(teams[i], &sums[i], &ones[i], GEX_DT_U32, 4, 1, GEX_OP_ADD, NULL, NULL, 0);
    }
    gex_Event_WaitAll(events, 2 * TEAMS, 0);
    for (i = TEAMS - 1; i >= 0; i--) {
      CHECK(filled(bytes[i], LARGE, (unsigned)i));
      CHECK_EQ(sums[i], gex_TM_QuerySize(teams[i]));
      gex_TM_Destroy(teams[i], NULL, 0);
    }
  }
  return check_end();
}
