// Cancel sends nothing and gives the buffer back, however often; after a cancelled reply the request may be replied to.
#include "check_ex.h"

enum { ROUNDS = 300 };
static volatile int requests, replies;
static void never(gex_Token_t t, void *b, size_t n) { (void)t, (void)b, (void)n; CHECK(!"a cancelled message was handled"); }
static void req(gex_Token_t t, void *b, size_t n) {
  gex_AM_SrcDesc_t sd = gex_AM_PrepareReplyMedium(t, NULL, 1, 5000, NULL, 0, 0);
  (void)b, (void)n;
  memset(gex_AM_SrcDescAddr(sd), 1, gex_AM_SrcDescSize(sd));
  CHECK(gex_AM_CancelReplyMedium(sd, 0) == 0);
  sd = gex_AM_PrepareReplyLong(t, NULL, 1, 5000, NULL, NULL, 0, 0);
  memset(gex_AM_SrcDescAddr(sd), 1, gex_AM_SrcDescSize(sd));
  CHECK(gex_AM_CancelReplyLong(sd, 0) == 0);
  requests++;
  gex_AM_ReplyShort0(t, 201, 0);
}
static void rep(gex_Token_t t) { (void)t; replies++; }

int main(int argc, char **argv) {
  static gex_AM_Entry_t table[] = { CHECK_AM(200, req, MEDIUM, REQUEST, 0), CHECK_AM(201, rep, SHORT, REPLY, 0), CHECK_AM(202, never, MEDLONG, REQREP, 0) };
  gex_AM_SrcDesc_t sd;
  int i;
  check_start(&argc, &argv, table, COUNT_OF(table), KiB(64));
  memset(seg(me), 9, KiB(64));
  barrier();
  for (i = 0; i < ROUNDS; i++) {
    sd = gex_AM_PrepareRequestMedium(world, next_rank(), NULL, 1, 40000, NULL, 0, 1);
    memset(gex_AM_SrcDescAddr(sd), 1, gex_AM_SrcDescSize(sd));
    CHECK(gex_AM_CancelRequestMedium(sd, 0) == 0);
    sd = gex_AM_PrepareRequestLong(world, next_rank(), NULL, 1, 5000, seg(next_rank()), NULL, 0, 16);
    memset(gex_AM_SrcDescAddr(sd), 1, gex_AM_SrcDescSize(sd));
    CHECK(gex_AM_CancelRequestLong(sd, 0) == 0);
    if (i % 30) continue;
    sd = gex_AM_PrepareRequestMedium(world, next_rank(), NULL, 1, 4000, NULL, 0, 0);
    gex_AM_CommitRequestMedium0(sd, 200, 1);
  }
  GASNET_BLOCKUNTIL(replies == ROUNDS / 30);
  GASNET_BLOCKUNTIL(requests == ROUNDS / 30);
  CHECK(all_bytes(seg(me), KiB(64), 9));
  return check_end();
}
