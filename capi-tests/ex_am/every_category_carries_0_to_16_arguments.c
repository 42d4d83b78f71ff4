// Every category arrives with each number of arguments, 0 to 16, as request and as reply, by the numbered calls and by those that count.
#include "check_ex.h"

enum { NBYTES = 24, SHORT_REQ = 128, SHORT_REP = 145, MED_REQ = 162, MED_REP = 179, LONG_REQ = 196, LONG_REP = 213 };
static char bytes[NBYTES];
static volatile int replies, requests;

static gex_AM_Arg_t val(int i) { return (gex_AM_Arg_t)((0x01030507u * (unsigned)(i + 1)) ^ (i & 1 ? 0x80000000u : 0)); }
static void see(gex_AM_Arg_t got, int i) { CHECK_EQ(got, val(i)); }
static void got_payload(void *buf, size_t n) {
  CHECK_EQ(n, NBYTES);
  CHECK(filled(buf, n, 5));
}
static char *back(gex_Token_t t) {
  gex_Token_Info_t info;
  gex_Token_Info(t, &info, GEX_TI_SRCRANK);
  return seg(info.gex_srcrank) + 4096;
}
static void at_start(void *b) { CHECK(b == seg(me)); }
static void at_page(void *b) { CHECK(b == seg(me) + 4096); }

#define PAR0
#define VAL0
#define SEE0 (void)0
#define PAR1 PAR0, gex_AM_Arg_t a0
#define VAL1 VAL0, val(0)
#define SEE1 SEE0, see(a0, 0)
#define PAR2 PAR1, gex_AM_Arg_t a1
#define VAL2 VAL1, val(1)
#define SEE2 SEE1, see(a1, 1)
#define PAR3 PAR2, gex_AM_Arg_t a2
#define VAL3 VAL2, val(2)
#define SEE3 SEE2, see(a2, 2)
#define PAR4 PAR3, gex_AM_Arg_t a3
#define VAL4 VAL3, val(3)
#define SEE4 SEE3, see(a3, 3)
#define PAR5 PAR4, gex_AM_Arg_t a4
#define VAL5 VAL4, val(4)
#define SEE5 SEE4, see(a4, 4)
#define PAR6 PAR5, gex_AM_Arg_t a5
#define VAL6 VAL5, val(5)
#define SEE6 SEE5, see(a5, 5)
#define PAR7 PAR6, gex_AM_Arg_t a6
#define VAL7 VAL6, val(6)
#define SEE7 SEE6, see(a6, 6)
#define PAR8 PAR7, gex_AM_Arg_t a7
#define VAL8 VAL7, val(7)
#define SEE8 SEE7, see(a7, 7)
#define PAR9 PAR8, gex_AM_Arg_t a8
#define VAL9 VAL8, val(8)
#define SEE9 SEE8, see(a8, 8)
#define PAR10 PAR9, gex_AM_Arg_t a9
#define VAL10 VAL9, val(9)
#define SEE10 SEE9, see(a9, 9)
#define PAR11 PAR10, gex_AM_Arg_t a10
#define VAL11 VAL10, val(10)
#define SEE11 SEE10, see(a10, 10)
#define PAR12 PAR11, gex_AM_Arg_t a11
#define VAL12 VAL11, val(11)
#define SEE12 SEE11, see(a11, 11)
#define PAR13 PAR12, gex_AM_Arg_t a12
#define VAL13 VAL12, val(12)
#define SEE13 SEE12, see(a12, 12)
#define PAR14 PAR13, gex_AM_Arg_t a13
#define VAL14 VAL13, val(13)
#define SEE14 SEE13, see(a13, 13)
#define PAR15 PAR14, gex_AM_Arg_t a14
#define VAL15 VAL14, val(14)
#define SEE15 SEE14, see(a14, 14)
#define PAR16 PAR15, gex_AM_Arg_t a15
#define VAL16 VAL15, val(15)
#define SEE16 SEE15, see(a15, 15)
/* Expands the argument lists before the callee counts them. */
#define CALL(f, ...) f(__VA_ARGS__)
#define EACH(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15) X(16)
/* Both forms by turns. */
#define TURN(M, f, ...) ((requests + (M)) & 1 ? CALL(f##M, __VA_ARGS__ VAL##M) : CALL(f, __VA_ARGS__ VAL##M))

#define DEFINE(M) \
  static void short_req##M(gex_Token_t t PAR##M) { SEE##M; CHECK(TURN(M, gex_AM_ReplyShort, t, SHORT_REP + M, 0) == 0); requests++; } \
  static void short_rep##M(gex_Token_t t PAR##M) { (void)t; SEE##M; replies++; } \
  static void med_req##M(gex_Token_t t, void *b, size_t n PAR##M) { SEE##M; got_payload(b, n); \
    CHECK(TURN(M, gex_AM_ReplyMedium, t, MED_REP + M, bytes, NBYTES, GEX_EVENT_NOW, 0) == 0); requests++; } \
  static void med_rep##M(gex_Token_t t, void *b, size_t n PAR##M) { (void)t; SEE##M; got_payload(b, n); replies++; } \
  static void long_req##M(gex_Token_t t, void *b, size_t n PAR##M) { SEE##M; got_payload(b, n); at_start(b); \
    CHECK(TURN(M, gex_AM_ReplyLong, t, LONG_REP + M, bytes, NBYTES, back(t), GEX_EVENT_NOW, 0) == 0); requests++; } \
  static void long_rep##M(gex_Token_t t, void *b, size_t n PAR##M) { (void)t; SEE##M; got_payload(b, n); at_page(b); replies++; }
EACH(DEFINE)

#define ENTRIES(M) \
  CHECK_AM(SHORT_REQ + M, short_req##M, SHORT, REQUEST, M), CHECK_AM(SHORT_REP + M, short_rep##M, SHORT, REPLY, M), \
  CHECK_AM(MED_REQ + M, med_req##M, MEDIUM, REQUEST, M), CHECK_AM(MED_REP + M, med_rep##M, MEDIUM, REPLY, M), \
  CHECK_AM(LONG_REQ + M, long_req##M, LONG, REQUEST, M), CHECK_AM(LONG_REP + M, long_rep##M, LONG, REPLY, M),

#define ROUND(M) \
  CHECK(CALL(gex_AM_RequestShort##M, world, next_rank(), SHORT_REQ + M, 0 VAL##M) == 0); \
  CHECK(CALL(gex_AM_RequestShort, world, next_rank(), SHORT_REQ + M, 0 VAL##M) == 0); \
  CHECK(CALL(gex_AM_RequestMedium##M, world, next_rank(), MED_REQ + M, bytes, NBYTES, GEX_EVENT_NOW, 0 VAL##M) == 0); \
  CHECK(CALL(gex_AM_RequestMedium, world, next_rank(), MED_REQ + M, bytes, NBYTES, GEX_EVENT_NOW, 0 VAL##M) == 0); \
  CHECK(CALL(gex_AM_RequestLong##M, world, next_rank(), LONG_REQ + M, bytes, NBYTES, seg(next_rank()), GEX_EVENT_NOW, 0 VAL##M) == 0); \
  CHECK(CALL(gex_AM_RequestLong, world, next_rank(), LONG_REQ + M, bytes, NBYTES, seg(next_rank()), GEX_EVENT_NOW, 0 VAL##M) == 0);

int main(int argc, char **argv) {
  static gex_AM_Entry_t table[] = { EACH(ENTRIES) };
  fill(bytes, NBYTES, 5);
  check_start(&argc, &argv, table, COUNT_OF(table), KiB(64));
  EACH(ROUND)
  GASNET_BLOCKUNTIL(replies == 6 * 17);
  GASNET_BLOCKUNTIL(requests == 6 * 17);
  return check_end();
}
