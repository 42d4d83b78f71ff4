// With GEX_FLAG_IMMEDIATE a message arrives once if the call returns 0, and is not sent otherwise; an idle receiver makes senders return nonzero.
// ranks: 2 3
#include "check_ex.h"

enum { PAYLOAD = 3000, MOST = 20000, FLAG = 32768 /* where in the segment, beyond the payload of Longs */ };
#define LET_RECEIVE() ((void)(seg1 && (*(volatile int *)((char *)seg1 + FLAG) = 1)))
static volatile int shorts, mediums, longs, stop, replies;
static char bytes[PAYLOAD];
static void s(gex_Token_t t) { (void)t; shorts++; }
static void m(gex_Token_t t, void *b, size_t n) { (void)t; CHECK(n == PAYLOAD && filled(b, n, 1)); mediums++; }
static void l(gex_Token_t t, void *b, size_t n) { (void)t; CHECK(n == PAYLOAD && filled(b, n, 1)); longs++; }
static void expect(gex_Token_t t, gex_AM_Arg_t a, gex_AM_Arg_t b, gex_AM_Arg_t c) {
  int i;
  CHECK_EQ(a, shorts), CHECK_EQ(b, mediums), CHECK_EQ(c, longs);
  for (i = 0; i < 100 && gex_AM_ReplyShort0(t, 204, GEX_FLAG_IMMEDIATE); i++) {}
  if (i == 100) gex_AM_ReplyShort0(t, 204, 0);
  stop = 1;
}
static void done(gex_Token_t t) { (void)t; replies++; }

static int again(int failed, int sent) { return !failed && sent < MOST; }

/* Where memory is shared, rank 1 makes no call until rank 0 has written into its segment, however long that takes. */
static void stay_idle(int told) {
  if (!told) usleep(300000);
  else while (!*(volatile int *)(seg(1) + FLAG)) usleep(1000);
}

int main(int argc, char **argv) {
  static gex_AM_Entry_t table[] = { CHECK_AM(200, s, SHORT, REQUEST, 0), CHECK_AM(201, m, MEDIUM, REQUEST, 0), CHECK_AM(202, l, LONG, REQUEST, 0),
                                    CHECK_AM(203, expect, SHORT, REQUEST, 3), CHECK_AM(204, done, SHORT, REPLY, 0) };
  gex_Event_t event;
  gex_Rank_t together;
  void *seg1 = NULL;
  int ns = 0, nm = 0, nl = 0, i;
  check_start(&argc, &argv, table, COUNT_OF(table), KiB(64));
  fill(bytes, PAYLOAD, 1);
  gex_System_QueryNbrhdInfo(NULL, &together, NULL);
  if (me == 0) {
    gex_Event_Wait(gex_EP_QueryBoundSegmentNB(world, 1, NULL, &seg1, NULL, 0));
    for (ns = 0; again(gex_AM_RequestShort0(world, 1, 200, GEX_FLAG_IMMEDIATE), ns); ns++) {}
    for (nm = 0; again(gex_AM_RequestMedium0(world, 1, 201, bytes, PAYLOAD, GEX_EVENT_GROUP, GEX_FLAG_IMMEDIATE), nm); nm++) {}
    for (nl = 0; again(gex_AM_RequestLong0(world, 1, 202, bytes, PAYLOAD, seg(1), &event, GEX_FLAG_IMMEDIATE), nl); nl++)
      gex_Event_Wait(event);
    /* A ring is full some day. */
    if (together == nranks) CHECK(ns < MOST && nm < MOST && nl < MOST);
    ns += ns == MOST, nm += nm == MOST, nl += nl == MOST;
    /* Prepare and Commit, too. */
    for (i = 0; i < MOST; i++) {
      gex_AM_SrcDesc_t sd = gex_AM_PrepareRequestMedium(world, 1, NULL, PAYLOAD, PAYLOAD, NULL, GEX_FLAG_IMMEDIATE, 0);
      if (sd == GEX_AM_SRCDESC_NO_OP) break;
      fill(gex_AM_SrcDescAddr(sd), PAYLOAD, 1);
      if (gex_AM_CommitRequestMedium0_v2(sd, 201, PAYLOAD, GEX_FLAG_IMMEDIATE)) {
        CHECK(gex_AM_SrcDescSize(sd) == PAYLOAD);
        LET_RECEIVE();
        if (i & 1) {
          gex_AM_CancelRequestMedium(sd, 0);
        } else {
          CHECK(gex_AM_CommitRequestMedium0_v2(sd, 201, PAYLOAD, 0) == 0);
          nm++;
        }
        break;
      }
      nm++;
    }
    LET_RECEIVE();
    gex_NBI_Wait(GEX_EC_AM, 0);
  }
  else if (me == 1) stay_idle(together == nranks);
  barrier();
  if (me == 0) {
    gex_AM_RequestShort3(world, 1, 203, 0, ns, nm, nl);
    GASNET_BLOCKUNTIL(replies == 1);
  }
  if (me == 1) GASNET_BLOCKUNTIL(stop);
  return check_end();
}
