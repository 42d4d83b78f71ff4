// Every category arrives with each number of arguments, 0 to 16, as request and as reply, unchanged.
#include "check.h"

static gasnet_handlerarg_t val(int i) { return (gasnet_handlerarg_t)((0x01030507u * (unsigned)(i + 1)) ^ (i & 1 ? 0x80000000u : 0)); }
static void see(gasnet_handlerarg_t got, int i) { CHECK_EQ(got, val(i)); }
static int replies, requests;
static char *landing;  /* where Long replies go: the end of the requester's segment */
enum { NBYTES = 24, SHORT_REQ = 128, SHORT_REP = 145, MED_REQ = 162, MED_REP = 179, LONG_REQ = 196, LONG_REP = 213 };
static char bytes[NBYTES];

static void got_payload(void *buf, size_t n) {
  CHECK_EQ(n, NBYTES);
  CHECK(filled(buf, n, 5));
}

#define PAR1 , gasnet_handlerarg_t a0
#define PAR2 PAR1, gasnet_handlerarg_t a1
#define PAR3 PAR2, gasnet_handlerarg_t a2
#define PAR4 PAR3, gasnet_handlerarg_t a3
#define PAR5 PAR4, gasnet_handlerarg_t a4
#define PAR6 PAR5, gasnet_handlerarg_t a5
#define PAR7 PAR6, gasnet_handlerarg_t a6
#define PAR8 PAR7, gasnet_handlerarg_t a7
#define PAR9 PAR8, gasnet_handlerarg_t a8
#define PAR10 PAR9, gasnet_handlerarg_t a9
#define PAR11 PAR10, gasnet_handlerarg_t a10
#define PAR12 PAR11, gasnet_handlerarg_t a11
#define PAR13 PAR12, gasnet_handlerarg_t a12
#define PAR14 PAR13, gasnet_handlerarg_t a13
#define PAR15 PAR14, gasnet_handlerarg_t a14
#define PAR16 PAR15, gasnet_handlerarg_t a15
#define PAR0
#define VAL1 , val(0)
#define VAL2 VAL1, val(1)
#define VAL3 VAL2, val(2)
#define VAL4 VAL3, val(3)
#define VAL5 VAL4, val(4)
#define VAL6 VAL5, val(5)
#define VAL7 VAL6, val(6)
#define VAL8 VAL7, val(7)
#define VAL9 VAL8, val(8)
#define VAL10 VAL9, val(9)
#define VAL11 VAL10, val(10)
#define VAL12 VAL11, val(11)
#define VAL13 VAL12, val(12)
#define VAL14 VAL13, val(13)
#define VAL15 VAL14, val(14)
#define VAL16 VAL15, val(15)
#define VAL0
#define SEE1 see(a0, 0)
#define SEE2 SEE1, see(a1, 1)
#define SEE3 SEE2, see(a2, 2)
#define SEE4 SEE3, see(a3, 3)
#define SEE5 SEE4, see(a4, 4)
#define SEE6 SEE5, see(a5, 5)
#define SEE7 SEE6, see(a6, 6)
#define SEE8 SEE7, see(a7, 7)
#define SEE9 SEE8, see(a8, 8)
#define SEE10 SEE9, see(a9, 9)
#define SEE11 SEE10, see(a10, 10)
#define SEE12 SEE11, see(a11, 11)
#define SEE13 SEE12, see(a12, 12)
#define SEE14 SEE13, see(a13, 13)
#define SEE15 SEE14, see(a14, 14)
#define SEE16 SEE15, see(a15, 15)
#define SEE0 (void)0
/* Expands the argument lists before the callee, which may be a macro, counts them. */
#define CALL(f, ...) f(__VA_ARGS__)
#define EACH(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15) X(16)

/* `dest` travels by the fixed convention that Long traffic uses offset 0 (requests) and 4096 (replies). */
#define DEFINE(M) \
  static void short_req##M(gasnet_token_t t PAR##M) { SEE##M; requests++; CHECK(CALL(gasnet_AMReplyShort##M, t, SHORT_REP + M VAL##M) == GASNET_OK); } \
  static void short_rep##M(gasnet_token_t t PAR##M) { (void)t; SEE##M; replies++; } \
  static void med_req##M(gasnet_token_t t, void *b, size_t n PAR##M) { SEE##M; requests++; got_payload(b, n); \
    CHECK(CALL(gasnet_AMReplyMedium##M, t, MED_REP + M, bytes, NBYTES VAL##M) == GASNET_OK); } \
  static void med_rep##M(gasnet_token_t t, void *b, size_t n PAR##M) { (void)t; SEE##M; got_payload(b, n); replies++; } \
  static void long_req##M(gasnet_token_t t, void *b, size_t n PAR##M) { gasnet_node_t s; SEE##M; requests++; got_payload(b, n); CHECK(b == seg(me)); \
    memset(b, 0, n); CHECK(gasnet_AMGetMsgSource(t, &s) == GASNET_OK); \
    CHECK(CALL(gasnet_AMReplyLong##M, t, LONG_REP + M, bytes, NBYTES, seg(s) + 4096 VAL##M) == GASNET_OK); } \
  static void long_rep##M(gasnet_token_t t, void *b, size_t n PAR##M) { (void)t; SEE##M; got_payload(b, n); CHECK(b == landing); memset(b, 0, n); replies++; }
EACH(DEFINE)

#define ENTRIES(M) HANDLER(SHORT_REQ + M, short_req##M), HANDLER(SHORT_REP + M, short_rep##M), HANDLER(MED_REQ + M, med_req##M), \
  HANDLER(MED_REP + M, med_rep##M), HANDLER(LONG_REQ + M, long_req##M), HANDLER(LONG_REP + M, long_rep##M),

#define SEND(M) \
  CHECK(CALL(gasnet_AMRequestShort##M, to, SHORT_REQ + M VAL##M) == GASNET_OK); sent++; GASNET_BLOCKUNTIL(replies == sent); \
  CHECK(CALL(gasnet_AMRequestMedium##M, to, MED_REQ + M, bytes, NBYTES VAL##M) == GASNET_OK); sent++; GASNET_BLOCKUNTIL(replies == sent); \
  CHECK(CALL(gasnet_AMRequestLong##M, to, LONG_REQ + M, bytes, NBYTES, seg(to) VAL##M) == GASNET_OK); sent++; GASNET_BLOCKUNTIL(replies == sent); \
  CHECK(CALL(gasnet_AMRequestLongAsync##M, to, LONG_REQ + M, bytes, NBYTES, seg(to) VAL##M) == GASNET_OK); sent++; GASNET_BLOCKUNTIL(replies == sent);

int main(int argc, char **argv) {
  gasnet_handlerentry_t table[] = { EACH(ENTRIES) };
  gasnet_node_t to;
  int sent = 0;
  fill(bytes, NBYTES, 5);
  check_start(&argc, &argv, table, COUNT_OF(table), KiB(64));
  landing = seg(me) + 4096;
  CHECK(gasnet_AMMaxArgs() >= 16);
  to = next_rank();
  EACH(SEND)
  GASNET_BLOCKUNTIL(requests == 17 * 4);
  return check_end();
}
