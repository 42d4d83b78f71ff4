// A message between pairs of endpoints runs the handler that the receiving endpoint has under that index, whose token names it; the reply goes back to the endpoint that asked. All categories, all 16 arguments, also prepared.
#include "check_ex.h"

enum { EPS = 4, N = EPS * EPS };
static gex_EP_t eps[EPS];
static volatile int replies;
static char bytes[2000];
/* A Long of no bytes carries any address; statics lie elsewhere in processes of other hosts. */
#define THERE ((void *)(uintptr_t)0x7654320)

static void see(gex_Token_t t, int ep, int category, int is_req) {
  gex_Token_Info_t info;
  gex_Token_Info(t, &info, GEX_TI_ALL);
  CHECK(info.gex_ep == eps[ep]);
  CHECK_EQ(info.gex_srcrank, is_req ? prev_rank() : next_rank());
  CHECK_EQ(!!info.gex_is_long, category == 2);
  CHECK_EQ(!!info.gex_is_req, is_req);
  CHECK(info.gex_entry->gex_cdata == &eps[ep]);
}
#define ARGS gex_AM_Arg_t a, gex_AM_Arg_t b, gex_AM_Arg_t a2, gex_AM_Arg_t a3, gex_AM_Arg_t a4, gex_AM_Arg_t a5, gex_AM_Arg_t a6, gex_AM_Arg_t a7, \
  gex_AM_Arg_t a8, gex_AM_Arg_t a9, gex_AM_Arg_t a10, gex_AM_Arg_t a11, gex_AM_Arg_t a12, gex_AM_Arg_t a13, gex_AM_Arg_t a14, gex_AM_Arg_t a15
#define SUM (a2 + a3 + a4 + a5 + a6 + a7 + a8 + a9 + a10 + a11 + a12 + a13 + a14 + a15)
#define PASS 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
#define ONE(E) \
  static void sreq##E(gex_Token_t t, ARGS) { CHECK_EQ(SUM, 119); CHECK_EQ(b, E); see(t, E, 0, 1); gex_AM_ReplyShort(t, 201, 0, a, b, PASS); } \
  static void srep##E(gex_Token_t t, ARGS) { CHECK_EQ(SUM, 119); CHECK_EQ(a, E); (void)b; see(t, E, 0, 0); replies++; } \
  static void mreq##E(gex_Token_t t, void *p, size_t n, ARGS) { \
    gex_AM_SrcDesc_t sd; \
    CHECK(filled(p, n, 4)); CHECK_EQ(SUM, 119); CHECK_EQ(b, E); see(t, E, 1, 1); \
    sd = gex_AM_PrepareReplyMedium(t, NULL, n, n, NULL, 0, 16); \
    memcpy(gex_AM_SrcDescAddr(sd), p, n); \
    gex_AM_CommitReplyMedium(sd, 203, n, a, b, PASS); } \
  static void mrep##E(gex_Token_t t, void *p, size_t n, ARGS) { CHECK(filled(p, n, 4)); CHECK_EQ(SUM, 119); CHECK_EQ(a, E); (void)b; see(t, E, 1, 0); replies++; } \
  static void lreq##E(gex_Token_t t, void *p, size_t n, ARGS) { CHECK(n == 0 && p == THERE); CHECK_EQ(SUM, 119); CHECK_EQ(b, E); see(t, E, 2, 1); \
    gex_AM_ReplyLong(t, 205, NULL, 0, THERE, GEX_EVENT_NOW, 0, a, b, PASS); } \
  static void lrep##E(gex_Token_t t, void *p, size_t n, ARGS) { CHECK(n == 0 && p == THERE); CHECK_EQ(SUM, 119); CHECK_EQ(a, E); (void)b; see(t, E, 2, 0); replies++; } \
  static gex_AM_Entry_t table##E[] = { \
    { 200, (gex_AM_Fn_t)sreq##E, GEX_FLAG_AM_REQUEST | GEX_FLAG_AM_SHORT, 16, &eps[E], NULL }, { 201, (gex_AM_Fn_t)srep##E, GEX_FLAG_AM_REPLY | GEX_FLAG_AM_SHORT, 16, &eps[E], NULL }, \
    { 202, (gex_AM_Fn_t)mreq##E, GEX_FLAG_AM_REQUEST | GEX_FLAG_AM_MEDIUM, 16, &eps[E], NULL }, { 203, (gex_AM_Fn_t)mrep##E, GEX_FLAG_AM_REPLY | GEX_FLAG_AM_MEDIUM, 16, &eps[E], NULL }, \
    { 204, (gex_AM_Fn_t)lreq##E, GEX_FLAG_AM_REQUEST | GEX_FLAG_AM_LONG, 16, &eps[E], NULL }, { 205, (gex_AM_Fn_t)lrep##E, GEX_FLAG_AM_REPLY | GEX_FLAG_AM_LONG, 16, &eps[E], NULL } };
ONE(0) ONE(1) ONE(2) ONE(3)

int main(int argc, char **argv) {
  gex_AM_Entry_t *tables[EPS] = { table0, table1, table2, table3 };
  int a, b;
  check_init(&argc, &argv, 0);
  fill(bytes, sizeof bytes, 4);
  eps[0] = endpoint;
  for (a = 0; a < EPS; a++) {
    if (a) MUST(gex_EP_Create(&eps[a], client, GEX_EP_CAPABILITY_AM, 0) == GASNET_OK);
    CHECK_EQ(gex_EP_QueryIndex(eps[a]), a);
    MUST(gex_EP_RegisterHandlers(eps[a], tables[a], 6) == GASNET_OK);
  }
  barrier();
  for (a = 0; a < EPS; a++)
    for (b = 0; b < EPS; b++) {
      gex_TM_t pair = gex_TM_Pair(eps[a], (gex_EP_Index_t)b);
      size_t n = b % 2 ? sizeof bytes : 100;
      gex_AM_SrcDesc_t sd;
      CHECK(gex_AM_RequestShort(pair, next_rank(), 200, 0, a, b, PASS) == 0);
      CHECK(gex_AM_RequestMedium(pair, next_rank(), 202, bytes, n, GEX_EVENT_NOW, 0, a, b, PASS) == 0);
      CHECK(gex_AM_RequestLong(pair, next_rank(), 204, NULL, 0, THERE, GEX_EVENT_NOW, 0, a, b, PASS) == 0);
      sd = gex_AM_PrepareRequestMedium(pair, next_rank(), NULL, n, n, NULL, 0, 16);
      fill(gex_AM_SrcDescAddr(sd), n, 4);
      gex_AM_CommitRequestMedium(sd, 202, n, a, b, PASS);
    }
  GASNET_BLOCKUNTIL(replies == 4 * N);
  return check_end();
}
