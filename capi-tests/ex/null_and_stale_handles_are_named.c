// A debug client that passes a null or a stale handle is stopped with the call, the argument and its place.
// ranks: 1
// modes: par
// debug: yes
// every case: exit nonzero; stderr /@AT@/
// case null_client: stderr /gex_EP_Create.*client/
// case null_ep: stderr /gex_EP_QueryIndex.*ep/
// case null_tm: stderr /gex_TM_QuerySize.*tm/
// case null_segment: stderr /gex_Segment_QuerySize.*segment/
// case put_null_tm: stderr /gex_RMA_PutBlocking.*tm/
// case get_null_tm: stderr /gex_RMA_GetNB.*tm/
// case am_null_tm: stderr /gex_AM_RequestShort.*tm/
// case barrier_null_tm: stderr /gex_Coll_BarrierNB.*tm/
// case split_null_tm: stderr /gex_TM_Split.*tm/
// case destroyed_team: stderr /gex_TM_QueryRank.*tm/
// case put_destroyed_team: stderr /gex_RMA_PutBlocking.*tm/
// case destroyed_twice: stderr /gex_TM_Destroy.*tm/
// case destroyed_segment: stderr /gex_Segment_QueryAddr.*segment/
// case segment_destroyed_twice: stderr /gex_Segment_Destroy.*segment/
// case garbage_tm: stderr /gex_TM_QuerySize.*tm/
// case garbage_ep: stderr /gex_TM_Pair.*ep/
// case pair_in_a_collective: stderr /gex_Coll_BarrierNB.*pair/
// case primordial_destroyed: stderr /gex_TM_Destroy.*primordial/
#include "misuse_ex.h"

int main(int argc, char **argv) {
  static uint64_t garbage[64];
  gex_TM_t team;
  gex_Segment_t made;
  gex_EP_t ep;
  int value = 0;
  check_start(&argc, &argv, NULL, 0, KiB(64));
  misuse_begin(argc, argv);
  MUST(gex_Segment_Create(&made, client, NULL, 4096, GEX_MK_HOST, 0) == GASNET_OK);
  gex_Segment_Destroy(made, 0);
  gex_TM_Split(&team, world, 0, 0, NULL, 0, GEX_FLAG_TM_NO_SCRATCH);
  gex_TM_Destroy(team, NULL, 0);
  MISUSE("null_client", gex_EP_Create(&ep, GEX_CLIENT_INVALID, GEX_EP_CAPABILITY_RMA, 0));
  MISUSE("null_ep", gex_EP_QueryIndex(GEX_EP_INVALID));
  MISUSE("null_tm", gex_TM_QuerySize(GEX_TM_INVALID));
  MISUSE("null_segment", gex_Segment_QuerySize(GEX_SEGMENT_INVALID));
  MISUSE("put_null_tm", gex_RMA_PutBlocking(GEX_TM_INVALID, 0, seg(0), &value, 4, 0));
  MISUSE("get_null_tm", gex_Event_Wait(gex_RMA_GetNB(GEX_TM_INVALID, &value, 0, seg(0), 4, 0)));
  MISUSE("am_null_tm", gex_AM_RequestShort0(GEX_TM_INVALID, 0, 200, 0));
  MISUSE("barrier_null_tm", gex_Event_Wait(gex_Coll_BarrierNB(GEX_TM_INVALID, 0)));
  MISUSE("split_null_tm", gex_TM_Split(&team, GEX_TM_INVALID, 0, 0, NULL, 0, GEX_FLAG_TM_NO_SCRATCH));
  MISUSE("destroyed_team", gex_TM_QueryRank(team));
  MISUSE("put_destroyed_team", gex_RMA_PutBlocking(team, 0, seg(0), &value, 4, 0));
  MISUSE("destroyed_twice", gex_TM_Destroy(team, NULL, 0));
  MISUSE("destroyed_segment", gex_Segment_QueryAddr(made));
  MISUSE("segment_destroyed_twice", gex_Segment_Destroy(made, 0));
  MISUSE("garbage_tm", gex_TM_QuerySize((gex_TM_t)(void *)garbage));
  MISUSE("garbage_ep", (void)gex_TM_Pair((gex_EP_t)(void *)garbage, 0));
  MISUSE("pair_in_a_collective", gex_Event_Wait(gex_Coll_BarrierNB(gex_TM_Pair(endpoint, 0), 0)));
  MISUSE("primordial_destroyed", gex_TM_Destroy(world, NULL, 0));
  return check_end();
}
