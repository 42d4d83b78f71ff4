/* Every rank puts its number to the next one, which checks it. */
#include <gasnetex.h>
#include <stdio.h>

int main(int argc, char **argv) {
  gex_Client_t client;
  gex_EP_t ep;
  gex_TM_t tm;
  gex_Segment_t segment;
  gex_Rank_t me, size, next, before, sent;
  void *next_base;
  int failed;

  if (gex_Client_Init(&client, &ep, &tm, "testhello", &argc, &argv, 0) ||
      gex_Segment_Attach(&segment, tm, GASNET_PAGESIZE)) {
    fprintf(stderr, "testhello: cannot start\n");
    return 1;
  }
  me = sent = gex_TM_QueryRank(tm);
  size = gex_TM_QuerySize(tm);
  next = (me + 1) % size;
  before = (me + size - 1) % size;
  gex_Event_Wait(gex_EP_QueryBoundSegmentNB(tm, next, &next_base, NULL, NULL, 0));
  gex_RMA_PutBlocking(tm, next, next_base, &sent, sizeof sent, 0);
  gex_Event_Wait(gex_Coll_BarrierNB(tm, 0));
  failed = *(volatile gex_Rank_t *)gex_Segment_QueryAddr(segment) != before;
  printf("rank %u of %u: %s\n", (unsigned)me, (unsigned)size, failed ? "FAILED" : "passed");
  fflush(stdout);
  gex_Event_Wait(gex_Coll_BarrierNB(tm, 0));
  gasnet_exit(failed);
  return failed;
}
