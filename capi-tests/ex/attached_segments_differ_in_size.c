// Ranks may attach segments of different sizes; every rank knows all of them, locally mapped where memory is shared.
// ranks: 1 2 3 4
#include "check_ex.h"

int main(int argc, char **argv) {
  gex_Rank_t i, count, mine;
  gex_RankInfo_t *near;
  check_init(&argc, &argv, 0);
  check_attach(NULL, 0, GASNET_PAGESIZE * (me + 1));
  CHECK(gex_Segment_QueryAddr(segment) == (void *)seg(me));
  CHECK_EQ(gex_Segment_QuerySize(segment), seg_size(me));
  CHECK(gex_EP_QuerySegment(endpoint) == segment);
  for (i = 0; i < nranks; i++) CHECK_EQ(seg_size(i), GASNET_PAGESIZE * (i + 1));
  memset(seg(me), (int)me + 1, seg_size(me));
  barrier();
  gex_System_QueryNbrhdInfo(&near, &count, &mine);
  for (i = 0; i < nranks; i++) {
    void *owner = NULL, *local = NULL;
    uintptr_t size = 0;
    gex_Rank_t n;
    int is_near = 0;
    for (n = 0; n < count; n++) is_near |= near[n].gex_jobrank == i;
    gex_Event_Wait(gex_EP_QueryBoundSegmentNB(world, i, &owner, &local, &size, 0));
    CHECK(owner == (void *)seg(i));
    CHECK_EQ(local != NULL, is_near);
    if (local) CHECK(all_bytes(local, size, (int)i + 1));
    gex_Event_Wait(gex_EP_QueryBoundSegmentNB(world, i, NULL, NULL, NULL, 0));
    CHECK_EQ(gex_Segment_QueryBound(world, i, &owner, &local, &size), 0);
    CHECK_EQ(size, GASNET_PAGESIZE * (i + 1));
  }
  return check_end();
}
