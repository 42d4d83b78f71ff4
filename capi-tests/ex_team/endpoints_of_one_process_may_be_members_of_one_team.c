// A team may have several endpoints of each process, in any order; each is a member with its own handle, rank and collectives.
#include "check_ex.h"
#include <gasnet_coll.h>

int main(int argc, char **argv) {
  gex_EP_Location_t list[128];
  gex_EP_t other;
  gex_EP_Index_t index;
  gex_TM_t tms[2];
  gex_Event_t events[2];
  gex_Rank_t r, n = 0;
  uint64_t mine[2], sum[2], want = 0;
  int i, round;
  check_start(&argc, &argv, NULL, 0, KiB(64));
  MUST(gex_EP_Create(&other, client, GEX_EP_CAPABILITY_ALL, 0) == GASNET_OK);
  index = gex_EP_QueryIndex(other);
  memset(list, 0, sizeof list);
  /* first the new endpoints in falling order, then the primordial ones in rising order */
  for (r = nranks; r-- > 0;) list[n].gex_rank = r, list[n++].gex_ep_index = index;
  for (r = 0; r < nranks; r++) list[n].gex_rank = r, list[n++].gex_ep_index = 0;
  gex_TM_Create(tms, 2, world, list, n, NULL, 0, GEX_FLAG_TM_NO_SCRATCH);
  CHECK_EQ(gex_TM_QueryRank(tms[0]), nranks - 1 - me);
  CHECK_EQ(gex_TM_QueryRank(tms[1]), nranks + me);
  CHECK(gex_TM_QueryEP(tms[0]) == other && gex_TM_QueryEP(tms[1]) == endpoint);
  for (r = 0; r < n; r++) {
    gex_EP_Location_t at = gex_TM_TranslateRankToEP(tms[1], r, 0);
    CHECK(at.gex_rank == list[r].gex_rank && at.gex_ep_index == list[r].gex_ep_index);
    want += 100 + r;
  }
  for (round = 0; round < 20; round++) {
    for (i = 0; i < 2; i++) {
      mine[i] = 100 + gex_TM_QueryRank(tms[i]), sum[i] = 0;
      events[i] = gex_Coll_ReduceToAllNB(tms[i], &sum[i], &mine[i], GEX_DT_U64, 8, 1, GEX_OP_ADD, NULL, NULL, 0);
    }
    gex_Event_WaitAll(events, 2, 0);
    CHECK_EQ(sum[0], want);
    CHECK_EQ(sum[1], want);
    for (i = 0; i < 2; i++) events[i] = gex_Coll_BarrierNB(tms[i], 0);
    gex_Event_WaitAll(events, 2, 0);
  }
  gex_TM_Destroy(tms[1], NULL, 0);
  gex_TM_Destroy(tms[0], NULL, 0);
  return check_end();
}
