// While a Commit waits for room, handlers run and prepare replies: these leave the payload of the waiting message alone.
// ranks: 2 3
#include "check_ex.h"

enum { EACH = 20000, REQUEST_BYTES = 24, REPLY_BYTES = 40 };
static int replies;
static void req(gex_Token_t t, void *b, size_t n, gex_AM_Arg_t seed) {
  gex_AM_SrcDesc_t sd;
  CHECK(n == REQUEST_BYTES && filled(b, n, (unsigned)seed));
  sd = gex_AM_PrepareReplyMedium(t, NULL, REPLY_BYTES, REPLY_BYTES, NULL, 0, 1);
  fill(gex_AM_SrcDescAddr(sd), REPLY_BYTES, (unsigned)seed + 100);
  gex_AM_CommitReplyMedium1(sd, 201, REPLY_BYTES, seed);
}
static void rep(gex_Token_t t, void *b, size_t n, gex_AM_Arg_t seed) {
  (void)t;
  CHECK(n == REPLY_BYTES && filled(b, n, (unsigned)seed + 100));
  __atomic_add_fetch(&replies, 1, __ATOMIC_RELAXED);
}

int main(int argc, char **argv) {
  static gex_AM_Entry_t table[] = { CHECK_AM(200, req, MEDIUM, REQUEST, 1), CHECK_AM(201, rep, MEDIUM, REPLY, 1) };
  int i;
  check_start(&argc, &argv, table, 2, KiB(64));
  for (i = 0; i < EACH; i++) {
    gex_AM_SrcDesc_t sd =
        gex_AM_PrepareRequestMedium(world, next_rank(), NULL, REQUEST_BYTES, REQUEST_BYTES, NULL, 0, 1);
    fill(gex_AM_SrcDescAddr(sd), REQUEST_BYTES, (unsigned)i % 50);
    gex_AM_CommitRequestMedium1(sd, 200, REQUEST_BYTES, i % 50);
  }
  GASNET_BLOCKUNTIL(__atomic_load_n(&replies, __ATOMIC_RELAXED) == EACH);
  return check_end();
}
