// GASNet-EX with GASNET_SEGMENT_EVERYTHING: a segment bound to the primordial endpoint is what queries tell of it once it is published, until it is destroyed; all other memory stays reachable.
// cflags: -DGASNET_SEGMENT_EVERYTHING -fno-pie -no-pie
#include "check_ex.h"

static unsigned outside[64];

static void all_is_reached(gex_Segment_t mine) {
  gex_Rank_t k, to;
  void *at, *here;
  uintptr_t size;
  unsigned value;
  for (k = 0; k < nranks; k++) {
    to = (me + k) % nranks;
    at = NULL, size = 0;
    gex_Event_Wait(gex_EP_QueryBoundSegmentNB(world, to, &at, &here, &size, 0));
    MUST(at != NULL && size == (1 + to) * 65536);
    value = me * 1000 + k;
    // The segment; then memory outside of it.
    gex_RMA_PutBlocking(world, to, (char *)at + size - 4 * (1 + me), &value, 4, 0);
    gex_RMA_PutBlocking(world, to, &outside[me], &value, 4, 0);
    value = 0;
    gex_RMA_GetBlocking(world, &value, to, (char *)at + size - 4 * (1 + me), 4, 0);
    CHECK_EQ(value, me * 1000 + k);
  }
  barrier();
  for (k = 0; k < nranks; k++) {
    unsigned *end = (unsigned *)((char *)gex_Segment_QueryAddr(mine) + gex_Segment_QuerySize(mine));
    CHECK_EQ(outside[k], k * 1000 + (me + nranks - k) % nranks);
    CHECK_EQ(end[-1 - (int)k], outside[k]);
    outside[k] = end[-1 - (int)k] = 0;
  }
  barrier();
}

int main(int argc, char **argv) {
  gex_Segment_t mine;
  gex_Rank_t k;
  void *at, *here;
  uintptr_t size, bytes;
  check_init(&argc, &argv, 0);
  bytes = (1 + me) * 65536;
  MUST(gex_Segment_Create(&mine, client, NULL, bytes, GEX_MK_HOST, 0) == GASNET_OK);
  MUST(gex_EP_BindSegment(endpoint, mine, 0) == GASNET_OK);
  CHECK(gex_EP_QuerySegment(endpoint) == mine);
  MUST(gex_Segment_QueryBound(world, me, &at, &here, &size) == 0);
  CHECK(at == gex_Segment_QueryAddr(mine) && here == at && size == bytes);
  for (k = 0; k < nranks; k++) CHECK(k == me || gex_Segment_QueryBound(world, k, &at, &here, &size) != 0);
  barrier();
  MUST(gex_EP_PublishBoundSegment(world, &endpoint, 1, 0) == GASNET_OK);
  all_is_reached(mine);
  gex_Segment_Destroy(mine, 0);
  CHECK(gex_Segment_QueryBound(world, me, &at, &here, &size) != 0);
  return check_end();
}
