// Threads prepare, commit and cancel independently of each other, and handlers reply with prepared messages meanwhile.
// modes: par
// ranks: 1 2 3
#include "check_ex.h"

enum { THREADS = 4, EACH = 300, REPLY_BYTES = 1500 };
static int replies;
static void req(gex_Token_t t, void *b, size_t n, gex_AM_Arg_t who) {
  gex_AM_SrcDesc_t sd;
  CHECK(filled(b, n, (unsigned)who));
  sd = gex_AM_PrepareReplyMedium(t, NULL, REPLY_BYTES, REPLY_BYTES, NULL, 0, 1);
  fill(gex_AM_SrcDescAddr(sd), REPLY_BYTES, (unsigned)who + 100);
  gex_AM_CommitReplyMedium1(sd, 201, REPLY_BYTES, who);
}
static void rep(gex_Token_t t, void *b, size_t n, gex_AM_Arg_t who) {
  (void)t;
  CHECK(n == REPLY_BYTES && filled(b, n, (unsigned)who + 100));
  __atomic_add_fetch(&replies, 1, __ATOMIC_RELAXED);
}
static void work(int thread) {
  int i;
  for (i = 0; i < EACH; i++) {
    size_t size = (size_t)(1 + (i * 37 + thread) % 9000);
    gex_AM_SrcDesc_t sd = gex_AM_PrepareRequestMedium(world, (gex_Rank_t)i % nranks, NULL, 1, size, NULL, 0, 1);
    fill(gex_AM_SrcDescAddr(sd), gex_AM_SrcDescSize(sd), (unsigned)thread);
    if (i % 10 == 9) gex_AM_CancelRequestMedium(sd, 0);
    else gex_AM_CommitRequestMedium1(sd, 200, gex_AM_SrcDescSize(sd), thread);
  }
}

int main(int argc, char **argv) {
  static gex_AM_Entry_t table[] = { CHECK_AM(200, req, MEDIUM, REQUEST, 1), CHECK_AM(201, rep, MEDIUM, REPLY, 1) };
  check_start(&argc, &argv, table, 2, KiB(64));
  on_threads(THREADS, work);
  GASNET_BLOCKUNTIL(__atomic_load_n(&replies, __ATOMIC_RELAXED) == THREADS * EACH * 9 / 10);
  return check_end();
}
