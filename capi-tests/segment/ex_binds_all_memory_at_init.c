// GASNet-EX with GASNET_SEGMENT_EVERYTHING: all memory is bound from init on, attach is a barrier; puts, Longs, atomics and collectives reach static data, heap and stack.
// cflags: -DGASNET_SEGMENT_EVERYTHING -fno-pie -no-pie
#include "check_ex.h"
#include <gasnet_coll.h>
#include <gasnet_ratomic.h>
static void tell_areas(gex_Rank_t to, void *dst, void *src, size_t n) { gex_RMA_PutBlocking(world, to, dst, src, n, 0); }
#include "areas.h"

static volatile int hits;
static void on_long(gex_Token_t t, void *buf, size_t n, gex_AM_Arg_t a) {
  (void)t;
  CHECK((char *)buf == area[me][a] + (n == 100 ? 150000 : 64) && filled(buf, n, (unsigned)(n + (size_t)a)));
  hits++;
}

static void longs(gex_Rank_t to, int a) {
  static char source[70000];
  size_t n = sizeof source < gex_AM_LUBRequestLong() ? sizeof source : gex_AM_LUBRequestLong();
  gex_Event_t leaf;
  gex_AM_SrcDesc_t sd;
  fill(source, n, (unsigned)(n + (size_t)a));
  gex_AM_RequestLong1(world, to, 200, source, n, area[to][a] + 64, GEX_EVENT_NOW, 0, a);
  gex_AM_RequestLong1(world, to, 200, source, n, area[to][a] + 64, &leaf, 0, a);
  gex_Event_Wait(leaf);
  while (gex_AM_RequestLong1(world, to, 200, source, n, area[to][a] + 64, GEX_EVENT_NOW, GEX_FLAG_IMMEDIATE, a)) gasnet_AMPoll();
  sd = gex_AM_PrepareRequestLong(world, to, NULL, 100, 5000, NULL, NULL, 0, 1);
  fill(gex_AM_SrcDescAddr(sd), 100, (unsigned)(100 + a));
  gex_AM_CommitRequestLong1(sd, 200, 100, area[to][a] + 150000, a);
}

static void puts_and_gets(gex_Rank_t to, int a) {
  static char source[50000], back[50000];
  gex_Event_t leaf, event;
  char *there = area[to][a] + 1001;
  fill(source, sizeof source, me * 8 + (unsigned)a);
  event = gex_RMA_PutNB(world, to, there, source, sizeof source, &leaf, 0);
  gex_Event_Wait(leaf);
  gex_Event_Wait(event);
  gex_RMA_GetBlocking(world, back, to, there, sizeof back, 0);
  CHECK(filled(back, sizeof back, me * 8 + (unsigned)a));
  while (gex_RMA_PutNBI(world, to, there, source + 1, 100, GEX_EVENT_DEFER, GEX_FLAG_IMMEDIATE)) gasnet_AMPoll();
  gex_NBI_Wait(GEX_EC_PUT, 0);
  CHECK(gex_RMA_GetBlockingVal(world, to, there, 1, 0) == (unsigned char)source[1]);
  gex_RMA_PutBlockingVal(world, to, there, 0x5678, 2, 0);
  CHECK(gex_RMA_GetBlockingVal(world, to, there, 2, 0) == 0x5678);
}

static void add_everywhere(int a) {
  gex_AD_t ad;
  gex_Rank_t i;
  uint64_t *own = (uint64_t *)(((uintptr_t)area[me][a] + 7) / 8 * 8), *there;
  gex_AD_Create(&ad, world, GEX_DT_U64, GEX_OP_ADD | GEX_OP_FADD | GEX_OP_GET, 0);
  *own = 5;
  barrier();
  for (i = 0; i < nranks; i++) {
    uint64_t before = 0;
    there = (uint64_t *)(((uintptr_t)area[i][a] + 7) / 8 * 8);
    gex_Event_Wait(gex_AD_OpNB_U64(ad, &before, i, there, GEX_OP_FADD, me + 1, 0, 0));
    CHECK(before >= 5);
    gex_AD_OpNBI_U64(ad, NULL, i, there, GEX_OP_ADD, 100, 0, 0);
  }
  gex_NBI_Wait(GEX_EC_ALL, 0);
  barrier();
  CHECK_EQ(*own, 5 + nranks * (nranks + 1) / 2 + 100 * nranks);
  gex_AD_Destroy(ad);
}

static void together(int a) {
  uint64_t *own = (uint64_t *)(((uintptr_t)area[me][a] + 7) / 8 * 8), *sum = own + 10000;
  int i;
  for (i = 0; i < 10000; i++) own[i] = me + (unsigned)i;
  gex_Event_Wait(gex_Coll_ReduceToAllNB(world, sum, own, GEX_DT_U64, 8, 10000, GEX_OP_ADD, NULL, NULL, 0));
  for (i = 0; i < 10000; i++) CHECK_EQ(sum[i], nranks * (nranks - 1) / 2 + nranks * (unsigned)i);
  fill(own, 70000, me);
  gex_Event_Wait(gex_Coll_BroadcastNB(world, nranks - 1, sum, own, 70000, 0));
  CHECK(filled(sum, 70000, nranks - 1));
  barrier();
}

int main(int argc, char **argv) {
  gex_AM_Entry_t table[] = { CHECK_AM(200, on_long, LONG, REQUEST, 1) };
  char stack[AREA];
  void *at = &at, *here = &at;
  uintptr_t size = 0;
  gex_Rank_t k, count;
  gex_RankInfo_t *list;
  int a;
  check_init(&argc, &argv, 0);
  MUST(gex_EP_RegisterHandlers(endpoint, table, 1) == GASNET_OK);
  find_areas(stack);
  for (k = 0; k < nranks; k++)
    for (a = 0; a < AREAS; a++) puts_and_gets((me + k) % nranks, a), barrier();
  for (k = 0; k < nranks; k++) {
    size = 1;
    gex_Event_Wait(gex_EP_QueryBoundSegmentNB(world, k, &at, &here, &size, 0));
    CHECK(size == 0 && gex_Segment_QueryBound(world, k, &at, &here, &size) != 0);
  }
  CHECK(gex_EP_QuerySegment(endpoint) == GEX_SEGMENT_INVALID);
  gex_System_QueryNbrhdInfo(&list, &count, &k);
  CHECK(count == 1 && k == 0 && list[0].gex_jobrank == me);
  segment = (gex_Segment_t)&segment;
  CHECK(gex_Segment_Attach(&segment, world, me * 1000) == GASNET_OK && segment == GEX_SEGMENT_INVALID);
  for (k = 0; k < nranks; k++) {
    gex_Event_Wait(gex_EP_QueryBoundSegmentNB(world, k, &at, &here, &size, 0));
    CHECK(at == NULL && here == NULL && size == (uintptr_t)-1);
  }
  for (a = 0; a < AREAS; a++) add_everywhere(a), together(a);
  for (k = 0; k < nranks; k++) {
    for (a = 0; a < AREAS; a++) {
      int goal = hits + 4;
      barrier();
      longs((me + k) % nranks, a);
      GASNET_BLOCKUNTIL(hits == goal);
      barrier();
    }
  }
  return check_end();
}
