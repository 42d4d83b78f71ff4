// A call with GEX_FLAG_IMMEDIATE never waits for its target, however many messages it takes: while the target makes no call, every
// transfer is started or rejected; those that were started complete.
// ranks: 2 3
// case contiguous: exit 0
// case vectors: exit 0
// case event_leaves: exit 0
// case peer_completions: exit 0
// case longs: exit 0
#include "check_ex.h"

#include <gasnet_vis.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/un.h>

enum { BIG = 1 << 20, PIECES = 3000, PIECE = 300, TIMES = 300, LONG = 300000, LONGS = 40 };

static char source[BIG], back[BIG], second[LONG];
static volatile int longs, expected = -1;
/* Puts whose completion has run here, and the sum of their numbers; the same as rank 0 reports them. */
static volatile int completed, numbers, completions = -1, sum;
static gex_TM_t pair;
static int channel;
static struct sockaddr_un name;
static socklen_t name_bytes;

/* Set by rank 0: rank 1 continues. Until then it sleeps outside of GASNet. */
static void release(void) { CHECK(sendto(channel, "w", 1, 0, (struct sockaddr *)&name, name_bytes) == 1); }
static void hold(void) {
  char byte;
  CHECK(recv(channel, &byte, 1, 0) == 1);
}
static void open_channel(void) {
  const char *id = getenv("CAPI_TEST");
  channel = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  MUST(channel >= 0);
  name.sun_family = AF_UNIX;
  name_bytes = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
                           snprintf(name.sun_path + 1, sizeof name.sun_path - 1, "gasnet-immediate-%s", id ? id : "alone"));
  if (me == 1) MUST(bind(channel, (struct sockaddr *)&name, name_bytes) == 0);
}

static size_t most_long(void) { return gex_AM_LUBRequestLong() < LONG ? gex_AM_LUBRequestLong() : LONG; }
static void on_expected(gex_Token_t t, gex_AM_Arg_t n) { (void)t; expected = n; }
static void on_completed(gex_Token_t t, void *b, size_t n) {
  int32_t i;
  (void)t;
  MUST(n == sizeof i);
  memcpy(&i, b, n), numbers += i, completed++;
}
static void on_completions(gex_Token_t t, gex_AM_Arg_t n, gex_AM_Arg_t of) { (void)t; sum = of, completions = n; }
static void on_long(gex_Token_t t, void *b, size_t n) {
  (void)t;
  CHECK(b == second && n == most_long() && filled(b, n, 7));
  longs++;
}

/* An access region's leaf of a category waits for operations of that category only. The put is short, so that it needs no poll of the target to leave. */
static void leaves(void) {
  gex_Event_t region;
  gex_NBI_BeginAccessRegion(0);
  gex_RMA_PutNBI(world, 1, seg(1), source, PIECE, GEX_EVENT_GROUP, 0);
  region = gex_NBI_EndAccessRegion(0);
  if (region != GEX_EVENT_INVALID) CHECK(gex_Event_Test(gex_Event_QueryLeaf(region, GEX_EC_GET)) == GASNET_OK);
  release();
  if (region == GEX_EVENT_INVALID) return;
  gex_Event_Wait(gex_Event_QueryLeaf(region, GEX_EC_PUT));
  gex_Event_Wait(region);
}

static void contiguous(void) {
  int i, defer = 0, gets = 0;
  gex_Event_t events[TIMES], event;
  for (i = 0; i < TIMES; i++) {
    char *at = seg(1) + i % 3 * BIG;
    events[i] = GEX_EVENT_INVALID;
    switch (i % 4) {
      case 0: event = gex_RMA_PutNB(world, 1, at, source, BIG, GEX_EVENT_DEFER, GEX_FLAG_IMMEDIATE); break;
      case 1: event = gex_RMA_PutNB(world, 1, at, source, BIG, GEX_EVENT_NOW, GEX_FLAG_IMMEDIATE); break;
      case 2: gex_RMA_PutNBI(world, 1, at, source, BIG, GEX_EVENT_GROUP, GEX_FLAG_IMMEDIATE); continue;
      default: gets += !gex_RMA_GetNBI(world, back, 1, seg(1) + 3 * BIG, BIG, GEX_FLAG_IMMEDIATE); continue;
    }
    if (event == GEX_EVENT_NO_OP) continue;
    events[i] = event;
    defer += i % 4 == 0;
  }
  release();
  CHECK(defer > 0);
  gex_Event_WaitAll(events, TIMES, 0);
  gex_NBI_Wait(GEX_EC_ALL, 0);
  if (gets) CHECK(filled(back, BIG, 1));
  memset(back, 0, BIG);
  gex_RMA_GetBlocking(world, back, 1, seg(1), BIG, 0);
  CHECK(filled(back, BIG, 5));
}

static gex_Memvec_t there[PIECES], here[PIECES], into[PIECES];
static void lists(void) {
  int i;
  for (i = 0; i < PIECES; i++) {
    there[i].gex_addr = seg(1) + i * (PIECE + 20), here[i].gex_addr = source + i * PIECE, into[i].gex_addr = back + i * PIECE;
    there[i].gex_len = here[i].gex_len = into[i].gex_len = PIECE;
  }
}

static void vectors(void) {
  int i, puts = 0;
  lists();
  for (i = 0; i < TIMES; i++) {
    if (i % 3 < 2) puts += !gex_VIS_VectorPutNBI(world, 1, PIECES, there, PIECES, here, GEX_FLAG_IMMEDIATE);
    else gex_VIS_VectorGetNBI(world, PIECES, into, 1, PIECES, there, GEX_FLAG_IMMEDIATE);
  }
  release();
  CHECK(puts > 0);
  gex_NBI_Wait(GEX_EC_ALL, 0);
  memset(back, 0, BIG);
  gex_VIS_VectorGetBlocking(world, PIECES, into, 1, PIECES, there, 0);
  CHECK(memcmp(back, source, PIECES * PIECE) == 0);
}

/* The completion of a put runs if the put was started, and no other. Debug clients may not combine the two, and wait. */
static void peer_completions(void) {
#if GASNET_DEBUG
  const gex_Flags_t flags = 0;
#else
  const gex_Flags_t flags = GEX_FLAG_IMMEDIATE;
#endif
  int32_t i;
  int started = 0, of = 0;
  lists();
  if (!flags) release();
  for (i = 1; i <= TIMES; i++) {
    gex_VIS_SetPeerCompletionHandler(203, &i, sizeof i, 0);
    if (!gex_VIS_VectorPutNBI(world, 1, PIECES, there, PIECES, here, flags)) started++, of += i;
  }
  if (flags) release();
  CHECK(started > 0);
  gex_NBI_Wait(GEX_EC_ALL, 0);
  gex_AM_RequestShort2(world, 1, 202, 0, started, of);
}

/* To memory of the client, which only the target has mapped. */
static void requests(void) {
  void *at;
  int i, sent = 0;
  gex_Event_Wait(gex_EP_QueryBoundSegmentNB(pair, 1, &at, NULL, NULL, 0));
  fill(back, most_long(), 7);
  for (i = 0; i < LONGS; i++) sent += !gex_AM_RequestLong0(pair, 1, 201, back, most_long(), at, GEX_EVENT_NOW, GEX_FLAG_IMMEDIATE);
  memset(back, 0, LONG);
  release();
  CHECK(sent > 0);
  gex_AM_RequestShort1(world, 1, 200, 0, sent);
}

int main(int argc, char **argv) {
  static gex_AM_Entry_t table[] = { CHECK_AM(200, on_expected, SHORT, REQUEST, 1), CHECK_AM(201, on_long, LONG, REQUEST, 0),
                                    CHECK_AM(202, on_completions, SHORT, REQUEST, 2), CHECK_AM(203, on_completed, MEDIUM, REPLY, 0) };
  gex_EP_t ep;
  gex_Segment_t mine;
  const char *which;
  check_start(&argc, &argv, table, COUNT_OF(table), 5 * BIG);
  which = argc > 1 ? argv[1] : "contiguous";
  MUST(gex_EP_Create(&ep, client, GEX_EP_CAPABILITY_RMA | GEX_EP_CAPABILITY_AM, 0) == GASNET_OK);
  MUST(gex_Segment_Create(&mine, client, second, LONG, GEX_MK_HOST, 0) == GASNET_OK);
  MUST(gex_EP_BindSegment(ep, mine, 0) == GASNET_OK);
  MUST(gex_EP_PublishBoundSegment(world, &ep, 1, 0) == GASNET_OK);
  pair = gex_TM_Pair(endpoint, gex_EP_QueryIndex(ep));
  fill(source, BIG, 5);
  fill(seg(me) + 3 * BIG, BIG, me);
  open_channel();
  barrier();
  if (me == 0) {
    switch (*which) {
      case 'c': contiguous(); break;
      case 'v': vectors(); break;
      case 'e': leaves(); break;
      case 'p': peer_completions(); break;
      default: requests(); break;
    }
  } else if (me == 1) {
    hold();
    if (*which == 'l') GASNET_BLOCKUNTIL(longs == expected);
    if (*which == 'p') GASNET_BLOCKUNTIL(completions >= 0 && completed >= completions);
  }
  barrier();
  if (me == 1 && *which == 'p') CHECK_EQ(completed, completions), CHECK_EQ(numbers, sum);
  return check_end();
}
