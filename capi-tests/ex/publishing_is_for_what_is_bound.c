// gex_EP_PublishBoundSegment takes any number of endpoints on each rank, those without a segment too, and may be repeated.
// ranks: 1 2 3
#include "check_ex.h"

int main(int argc, char **argv) {
  gex_EP_t eps[3];
  gex_Segment_t late;
  void *owner = NULL;
  uintptr_t size = 1;
  uint64_t value = 41, back = 0;
  gex_TM_t pair;
  check_start(&argc, &argv, NULL, 0, KiB(64));
  CHECK_EQ(gex_EP_PublishBoundSegment(world, NULL, 0, 0), GASNET_OK);
  CHECK_EQ(gex_EP_PublishBoundSegment(world, &endpoint, 1, 0), GASNET_OK);
  eps[0] = endpoint;
  MUST(gex_EP_Create(&eps[1], client, GEX_EP_CAPABILITY_RMA, 0) == GASNET_OK);
  MUST(gex_EP_Create(&eps[2], client, GEX_EP_CAPABILITY_RMA, 0) == GASNET_OK);
  CHECK_EQ(gex_EP_PublishBoundSegment(world, eps, me % 2 ? 3 : 1, 0), GASNET_OK);
  pair = gex_TM_Pair(endpoint, gex_EP_QueryIndex(eps[2]));
  gex_Event_Wait(gex_EP_QueryBoundSegmentNB(pair, next_rank(), &owner, NULL, &size, 0));
  CHECK_EQ(size, 0);
  CHECK(gex_Segment_QueryBound(pair, next_rank(), &owner, NULL, &size) != 0);
  MUST(gex_Segment_Create(&late, client, NULL, 8192, GEX_MK_HOST, 0) == GASNET_OK);
  MUST(gex_EP_BindSegment(eps[2], late, 0) == GASNET_OK);
  gex_Event_Wait(gex_EP_QueryBoundSegmentNB(pair, me, &owner, NULL, &size, 0));
  CHECK(owner == gex_Segment_QueryAddr(late)); /* the own one is known without */
  CHECK_EQ(gex_EP_PublishBoundSegment(world, eps, 3, 0), GASNET_OK);
  barrier();
  gex_Event_Wait(gex_EP_QueryBoundSegmentNB(pair, next_rank(), &owner, NULL, &size, 0));
  CHECK(size >= 8192);
  gex_RMA_PutBlocking(pair, next_rank(), (char *)owner + 8184, &value, 8, 0);
  gex_RMA_GetBlocking(pair, &back, next_rank(), (char *)owner + 8184, 8, 0);
  CHECK_EQ(back, 41);
  barrier();
  CHECK_EQ(gex_EP_PublishBoundSegment(world, eps, 3, 0), GASNET_OK);
  return check_end();
}
