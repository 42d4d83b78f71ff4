// 33 endpoints per rank, each with its own segment and handlers: puts, gets and Longs address the endpoint of the pair.
// ranks: 1 2 3 4
// time: 120
#include "check_ex.h"

enum { EPS = 33, BYTES = 3000, ANY = 210 };
static gex_EP_t eps[EPS];
static gex_Segment_t segments[EPS];
static char memory[EPS][BYTES + 64];
static volatile int longs[EPS], mediums[EPS];
/* A rank publishes the addresses of its other segments in its primordial one. */
static void **table_of(gex_Rank_t rank) { return (void **)(void *)seg(rank); }

static int here(gex_Token_t token) {
  gex_Token_Info_t info;
  CHECK(gex_Token_Info(token, &info, GEX_TI_EP | GEX_TI_SRCRANK) & GEX_TI_EP);
  CHECK_EQ(info.gex_srcrank, prev_rank());
  return gex_EP_QueryIndex(info.gex_ep);
}
static void on_long(gex_Token_t token, void *bytes, size_t nbytes, gex_AM_Arg_t seed) {
  int ep = here(token);
  CHECK(bytes == gex_Segment_QueryAddr(segments[ep]));
  CHECK_EQ(nbytes, BYTES);
  CHECK(filled(bytes, nbytes, (unsigned)seed));
  __atomic_fetch_add(&longs[ep], 1, __ATOMIC_RELAXED);
}
static void on_medium(gex_Token_t token, void *bytes, size_t nbytes, gex_AM_Arg_t seed) {
  int ep = here(token);
  CHECK(filled(bytes, nbytes, (unsigned)seed));
  __atomic_fetch_add(&mediums[ep], 1, __ATOMIC_RELAXED);
}

int main(int argc, char **argv) {
  gex_AM_Entry_t table[] = {CHECK_AM(ANY, on_long, LONG, REQUEST, 1), CHECK_AM(ANY + 1, on_medium, MEDIUM, REQUEST, 1)};
  static char bytes[BYTES], back[BYTES];
  gex_Rank_t next;
  void **there;
  int i, from;
  check_start(&argc, &argv, NULL, 0, KiB(64));
  next = next_rank();
  eps[0] = endpoint, segments[0] = segment;
  MUST(gex_EP_RegisterHandlers(endpoint, table, 2) == GASNET_OK);
  for (i = 1; i < EPS; i++) { /* every other one in memory of ours, at an odd address */
    MUST(gex_EP_Create(&eps[i], client, GEX_EP_CAPABILITY_ALL, 0) == GASNET_OK);
    CHECK_EQ(gex_EP_QueryIndex(eps[i]), i);
    MUST(gex_Segment_Create(&segments[i], client, i % 2 ? memory[i] + i : NULL, BYTES, GEX_MK_HOST, 0) == GASNET_OK);
    CHECK_EQ(gex_EP_BindSegment(eps[i], segments[i], 0), GASNET_OK);
    CHECK(gex_EP_QuerySegment(eps[i]) == segments[i]);
    MUST(gex_EP_RegisterHandlers(eps[i], table, 2) == GASNET_OK);
    table_of(me)[i] = gex_Segment_QueryAddr(segments[i]);
  }
  MUST(gex_EP_PublishBoundSegment(world, eps + 1, EPS - 1, 0) == GASNET_OK);
  barrier();
  there = (void **)calloc(EPS, sizeof *there);
  gex_RMA_GetBlocking(world, there, next, seg(next), EPS * sizeof *there, 0);
  for (i = 1; i < EPS; i++) {
    gex_TM_t pair = gex_TM_Pair(endpoint, (gex_EP_Index_t)i);
    void *owner = NULL, *local = NULL;
    uintptr_t size = 0;
    gex_Event_Wait(gex_EP_QueryBoundSegmentNB(pair, next, &owner, &local, &size, 0));
    CHECK(owner == there[i]);
    CHECK(size >= BYTES);
    fill(bytes, BYTES, me * 100u + (unsigned)i);
    CHECK_EQ(gex_RMA_PutBlocking(pair, next, owner, bytes, BYTES, 0), 0);
    gex_Event_Wait(gex_RMA_PutNB(pair, next, owner, bytes, 8, GEX_EVENT_DEFER, 0));
    CHECK_EQ(gex_RMA_GetBlocking(pair, back, next, owner, BYTES, 0), 0);
    CHECK(!memcmp(bytes, back, BYTES));
    CHECK_EQ(gex_RMA_GetBlockingVal(pair, next, (char *)owner + 5, 1, 0), (unsigned char)bytes[5]);
  }
  barrier();
  for (i = 1; i < EPS; i++) CHECK(filled(gex_Segment_QueryAddr(segments[i]), BYTES, prev_rank() * 100u + (unsigned)i));
  barrier();
  for (from = 0; from < EPS; from += 16) /* from any endpoint to any */
    for (i = 1; i < EPS; i++) {
      gex_TM_t pair = gex_TM_Pair(eps[from], (gex_EP_Index_t)i);
      fill(bytes, BYTES, (unsigned)i);
      gex_AM_RequestLong1(pair, next, ANY, bytes, BYTES, there[i], GEX_EVENT_NOW, 0, i);
      gex_AM_RequestMedium1(pair, next, ANY + 1, bytes, 500, GEX_EVENT_NOW, 0, i);
    }
  for (i = 1; i < EPS; i++) GASNET_BLOCKUNTIL(longs[i] == 3 && mediums[i] == 3);
  CHECK_EQ(longs[0] + mediums[0], 0);
  return check_end();
}
