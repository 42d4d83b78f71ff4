// A domain of a part of the ranks, in another order, reaches each member by its rank there, and with
// GEX_FLAG_RANK_IS_JOBRANK by its rank in the job; a team that splits off again has domains of its own.
#include "domains.h"

static void count_in(gex_TM_t team) {
  gex_Rank_t size = gex_TM_QuerySize(team), rank = gex_TM_QueryRank(team), i;
  gex_AD_t ad = GEX_AD_INVALID;
  uint32_t found, total = 0;
  gex_AD_Create(&ad, team, GEX_DT_U32, GEX_OP_FADD | GEX_OP_ADD | GEX_OP_GET | GEX_OP_SET, 0);
  CHECK(gex_AD_QueryTM(ad) == team);
  gex_Event_Wait(gex_AD_OpNB_U32(ad, NULL, rank, seg(me), GEX_OP_SET, 0, 0, GEX_FLAG_AD_MY_RANK));
  gex_Event_Wait(gex_Coll_BarrierNB(team, 0));
  for (i = 0; i < size; i++) {
    gex_Rank_t there = gex_TM_TranslateRankToJobrank(team, i);
    volatile gex_Flags_t late = GEX_FLAG_RANK_IS_JOBRANK;
    gex_Event_Wait(gex_AD_OpNB_U32(ad, &found, i, seg(there), GEX_OP_FADD, 1 + rank, 0, 0));
    gex_AD_OpNBI_U32(ad, NULL, there, seg(there), GEX_OP_ADD, 1 + rank, 0, GEX_FLAG_RANK_IS_JOBRANK);
    gex_AD_OpNBI_U32(ad, NULL, there, seg(there), GEX_OP_ADD, 1 + rank, 0, late);
    total += 3 * (1 + i);
  }
  gex_NBI_Wait(GEX_EC_RMW, 0);
  gex_Event_Wait(gex_Coll_BarrierNB(team, 0));
  gex_Event_Wait(gex_AD_OpNB_U32(ad, &found, me, seg(me), GEX_OP_GET, 0, 0, GEX_FLAG_RANK_IS_JOBRANK));
  CHECK_EQ(found, total);
  gex_Event_Wait(gex_Coll_BarrierNB(team, 0));
  gex_AD_Destroy(ad);
}

int main(int argc, char **argv) {
  gex_TM_t half = GEX_TM_INVALID, back = GEX_TM_INVALID;
  domains_start(&argc, &argv);
  count_in(world);
  gex_TM_Split(&half, world, (int)me % 2, (int)(nranks - me), NULL, 0, GEX_FLAG_TM_NO_SCRATCH);
  gex_TM_Split(&back, world, 0, -(int)me, NULL, 0, GEX_FLAG_TM_NO_SCRATCH);
  MUST(half != GEX_TM_INVALID && back != GEX_TM_INVALID);
  CHECK_EQ(gex_TM_QueryRank(back), nranks - 1 - me);
  count_in(half);
  barrier();
  count_in(back);
  barrier();
  gex_TM_Destroy(half, NULL, 0);
  gex_TM_Destroy(back, NULL, 0);
  count_in(world);
  return check_end();
}
