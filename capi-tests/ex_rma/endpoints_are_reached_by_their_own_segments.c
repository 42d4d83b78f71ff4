// Each endpoint is accessed through the segment bound to it, whether the library or the client allocated its memory.
// ranks: 1 2 3
#include "check_ex.h"

enum { EPS = 4, BYTES = 1 << 20 };
#define TRY(call) MUST((call) == GASNET_OK)

int main(int argc, char **argv) {
  gex_EP_t ep[EPS];
  gex_Segment_t made[EPS];
  char *own[EPS], *src, *dst;
  gex_Rank_t r;
  int i, form;
  check_start(&argc, &argv, NULL, 0, BYTES);
  r = next_rank();
  ep[0] = endpoint, own[0] = seg(me);
  for (i = 1; i < EPS; i++) {
    void *at = NULL;
    if (i % 2 && posix_memalign(&at, 4096, BYTES)) MUST(0);
    TRY(gex_EP_Create(&ep[i], client, GEX_EP_CAPABILITY_ALL, 0));
    TRY(gex_Segment_Create(&made[i], client, at, BYTES, GEX_MK_HOST, 0));
    gex_EP_BindSegment(ep[i], made[i], 0);
    own[i] = (char *)gex_Segment_QueryAddr(made[i]);
    CHECK(!at || own[i] == at);
  }
  gex_EP_PublishBoundSegment(world, ep + 1, EPS - 1, 0);
  src = (char *)malloc(BYTES), dst = (char *)malloc(BYTES);
  for (i = 0; i < EPS; i++) {
    gex_TM_t to = gex_TM_Pair(ep[(i + 1) % EPS], gex_EP_QueryIndex(ep[i]));
    void *there = NULL;
    uintptr_t size = 0;
    static const size_t sizes[] = {1, 8, 4096, 4097, 100000, BYTES};
    gex_Event_Wait(gex_EP_QueryBoundSegmentNB(to, r, &there, NULL, &size, 0));
    CHECK(there && size >= BYTES);
    for (form = 0; form < COUNT_OF(sizes); form++) {
      size_t n = sizes[form];
      char *at = (char *)there + (BYTES - n) / 2;
      gex_Event_t lc, ev;
      fill(src, n, (unsigned)(form * 10 + i) + me);
      ev = gex_RMA_PutNB(to, r, at, src, n, &lc, 0);
      gex_Event_Wait(lc);
      memset(src, 0, n);
      gex_Event_Wait(ev);
      CHECK(!gex_RMA_GetBlocking(to, dst, r, at, n, 0));
      CHECK(filled(dst, n, (unsigned)(form * 10 + i) + me));
      CHECK(!gex_RMA_PutNBIVal(to, r, at, 200u, 1, 0));
      gex_NBI_Wait(GEX_EC_PUT, 0);
      CHECK_EQ(gex_RMA_GetBlockingVal(to, r, at, 1, 0), 200);
    }
    barrier();
    { /* the neighbour's put is in our own memory */
      unsigned char first = (unsigned char)own[i][0];
      CHECK_EQ(first, 200);
    }
    barrier();
  }
  return check_end();
}
