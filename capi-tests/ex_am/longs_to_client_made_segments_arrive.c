// A Long arrives in a segment over the client's own memory, whether or not the sender has it mapped: requests and replies, of all sizes, many in flight.
#include "check_ex.h"

enum { SIZE = 400 * 1024, REPLIES_AT = SIZE };
static gex_EP_t second;
static gex_TM_t pair;
static gex_Segment_t made;
static char **bases;
static volatile int requests, replies;
static char bytes[SIZE];

static void lreq(gex_Token_t t, void *b, size_t n, gex_AM_Arg_t at) {
  gex_Token_Info_t info;
  gex_Token_Info(t, &info, GEX_TI_SRCRANK);
  CHECK(b == bases[me] + at);
  CHECK(filled(b, n, (unsigned)at));
  requests++;
  gex_AM_ReplyLong1(t, 201, b, n, bases[info.gex_srcrank] + REPLIES_AT + at, GEX_EVENT_NOW, 0, at);
}
static void lrep(gex_Token_t t, void *b, size_t n, gex_AM_Arg_t at) {
  (void)t;
  CHECK(b == bases[me] + REPLIES_AT + at);
  CHECK(filled(b, n, (unsigned)at));
  replies++;
}

int main(int argc, char **argv) {
  static gex_AM_Entry_t table[] = { CHECK_AM(200, lreq, LONG, REQUEST, 1), CHECK_AM(201, lrep, LONG, REPLY, 1) };
  static const size_t sizes[] = { 1, 100, 5000, 65536, 65537, 150000, 1000, 64 };
  char *memory;
  size_t at = 0;
  int i;
  gex_Rank_t r;
  check_init(&argc, &argv, 0);
  memory = (char *)aligned_alloc(GASNET_PAGESIZE, 2 * SIZE);
  memset(memory, 0, 2 * SIZE);
  MUST(gex_EP_Create(&second, client, GEX_EP_CAPABILITY_AM | GEX_EP_CAPABILITY_RMA, 0) == GASNET_OK);
  MUST(gex_Segment_Create(&made, client, memory, 2 * SIZE, GEX_MK_HOST, 0) == GASNET_OK);
  gex_EP_BindSegment(second, made, 0);
  MUST(gex_EP_RegisterHandlers(second, table, 2) == GASNET_OK);
  MUST(gex_EP_PublishBoundSegment(world, &second, 1, 0) == GASNET_OK);
  pair = gex_TM_Pair(second, gex_EP_QueryIndex(second));
  bases = (char **)calloc(nranks, sizeof *bases);
  for (r = 0; r < nranks; r++) {
    void *base;
    gex_Event_Wait(gex_EP_QueryBoundSegmentNB(pair, r, &base, NULL, NULL, 0));
    bases[r] = (char *)base;
  }
  barrier();
  for (i = 0; i < COUNT_OF(sizes); i++) {
    size_t size = sizes[i] < gex_AM_LUBRequestLong() ? sizes[i] : gex_AM_LUBRequestLong();
    if (size > gex_AM_LUBReplyLong()) size = gex_AM_LUBReplyLong();
    fill(bytes, size, (unsigned)at);
    CHECK(gex_AM_RequestLong1(pair, next_rank(), 200, bytes, size, bases[next_rank()] + at, GEX_EVENT_NOW, 0, (gex_AM_Arg_t)at) == 0);
    at += size;
  }
  CHECK(at <= SIZE);
  GASNET_BLOCKUNTIL(replies == COUNT_OF(sizes));
  GASNET_BLOCKUNTIL(requests == COUNT_OF(sizes));
  return check_end();
}
