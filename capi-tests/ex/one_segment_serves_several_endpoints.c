// A segment may be bound to several endpoints, an endpoint is bound once, and data put through one endpoint are visible through the others.
// ranks: 1 2 3
// expect: chatter
#include "check_ex.h"

int main(int argc, char **argv) {
  gex_EP_t eps[2];
  gex_Segment_t both, other;
  void *owner[2] = {NULL, NULL};
  gex_TM_t pair[2];
  static char many[KiB(40)], came[KiB(40)];
  uint32_t value, back;
  int i;
  check_start(&argc, &argv, NULL, 0, KiB(64));
  MUST(gex_Segment_Create(&both, client, NULL, KiB(64), GEX_MK_HOST, 0) == GASNET_OK);
  MUST(gex_Segment_Create(&other, client, NULL, KiB(64), GEX_MK_HOST, 0) == GASNET_OK);
  for (i = 0; i < 2; i++) {
    MUST(gex_EP_Create(&eps[i], client, GEX_EP_CAPABILITY_RMA, 0) == GASNET_OK);
    CHECK_EQ(gex_EP_BindSegment(eps[i], both, 0), GASNET_OK);
    pair[i] = gex_TM_Pair(endpoint, gex_EP_QueryIndex(eps[i]));
  }
  gex_System_SetVerboseErrors(0);
  CHECK(gex_EP_BindSegment(eps[0], other, 0) != GASNET_OK);
  CHECK(gex_EP_QuerySegment(eps[0]) == both);
  MUST(gex_EP_PublishBoundSegment(world, eps, 2, 0) == GASNET_OK);
  barrier();
  for (i = 0; i < 2; i++) gex_Event_Wait(gex_EP_QueryBoundSegmentNB(pair[i], next_rank(), &owner[i], NULL, NULL, 0));
  CHECK(owner[0] == owner[1]);
  value = 1000 + me;
  gex_RMA_PutBlocking(pair[0], next_rank(), owner[0], &value, sizeof value, 0);
  gex_RMA_GetBlocking(pair[1], &back, next_rank(), owner[1], sizeof back, 0);
  CHECK_EQ(back, value);
  fill(many, sizeof many, 9 + me);
  gex_RMA_PutBlocking(pair[1], next_rank(), owner[1], many, sizeof many, 0);
  gex_RMA_GetBlocking(pair[0], came, next_rank(), owner[0], sizeof came, 0);
  CHECK(filled(came, sizeof came, 9 + me));
  return check_end();
}
