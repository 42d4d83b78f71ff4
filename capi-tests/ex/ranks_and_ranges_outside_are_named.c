// A debug client that names a rank outside the team, an endpoint that is not there or memory outside the segment is stopped.
// ranks: 2
// modes: par
// debug: yes
// every case: exit nonzero; stderr /@AT@/
// case put_rank: stderr /gex_RMA_PutBlocking.*rank 2/
// case get_rank: stderr /gex_RMA_GetBlocking.*rank 9/
// case putnbi_rank: stderr /gex_RMA_PutNBI.*rank/
// case am_rank: stderr /gex_AM_RequestMedium.*rank 2/
// case query_rank: stderr /gex_EP_QueryBoundSegmentNB.*rank 2/
// case translate_rank: stderr /gex_TM_TranslateRankToJobrank.*rank 2/
// case put_before: stderr /gex_RMA_PutBlocking.*outside/
// case put_across_the_end: stderr /gex_RMA_PutNB.*outside/
// case get_behind: stderr /gex_RMA_GetNB.*outside/
// case long_outside: stderr /gex_AM_RequestLong.*outside/
// case unbound_endpoint: stderr /gex_RMA_PutBlocking.*endpoint 5/
// case long_unbound_endpoint: stderr /gex_AM_RequestLong.*endpoint 5/
// case event_flags: stderr /gex_NBI_Wait.*flags/
#include "misuse_ex.h"

int main(int argc, char **argv) {
  gex_Rank_t peer;
  char *end;
  int value = 0;
  check_start(&argc, &argv, NULL, 0, KiB(64));
  misuse_begin(argc, argv);
  if (me != 0) {
    barrier();
    return check_end();
  }
  peer = 1, end = seg(peer) + seg_size(peer);
  MISUSE("put_rank", gex_RMA_PutBlocking(world, 2, seg(1), &value, 4, 0));
  MISUSE("get_rank", gex_RMA_GetBlocking(world, &value, 9, seg(1), 4, 0));
  MISUSE("putnbi_rank", gex_RMA_PutNBI(world, GEX_RANK_INVALID, seg(1), &value, 4, GEX_EVENT_DEFER, 0));
  MISUSE("am_rank", gex_AM_RequestMedium0(world, 2, 200, &value, 4, GEX_EVENT_NOW, 0));
  MISUSE("query_rank", gex_Event_Wait(gex_EP_QueryBoundSegmentNB(world, 2, NULL, NULL, NULL, 0)));
  MISUSE("translate_rank", gex_TM_TranslateRankToJobrank(world, 2));
  MISUSE("put_before", gex_RMA_PutBlocking(world, peer, seg(peer) - 4, &value, 4, 0));
  MISUSE("put_across_the_end", gex_Event_Wait(gex_RMA_PutNB(world, peer, end - 2, &value, 4, GEX_EVENT_DEFER, 0)));
  MISUSE("get_behind", gex_Event_Wait(gex_RMA_GetNB(world, &value, peer, end, 4, 0)));
  MISUSE("long_outside", gex_AM_RequestLong0(world, peer, 200, &value, 4, end, GEX_EVENT_NOW, 0));
  MISUSE("unbound_endpoint", gex_RMA_PutBlocking(gex_TM_Pair(endpoint, 5), peer, seg(peer), &value, 4, 0));
  MISUSE("long_unbound_endpoint", gex_AM_RequestLong0(gex_TM_Pair(endpoint, 5), peer, 200, &value, 4, seg(peer), GEX_EVENT_NOW, 0));
  MISUSE("event_flags", gex_NBI_Wait(GEX_EC_ALL, 1));
  barrier();
  return check_end();
}
