// gasnet_exit works between Prepare and Commit, of a request and of a reply.
// ranks: 1 2 3
// case request: exit 7; chatter
// case reply: exit 7; chatter
#include "check_ex.h"

static void req(gex_Token_t t, void *b, size_t n) {
  gex_AM_SrcDesc_t sd = gex_AM_PrepareReplyMedium(t, NULL, 5000, 5000, NULL, 0, 0);
  (void)b, (void)n, (void)sd;
  gasnet_exit(7);
}

int main(int argc, char **argv) {
  static gex_AM_Entry_t table[] = { CHECK_AM(200, req, MEDIUM, REQUEST, 0) };
  check_start(&argc, &argv, table, 1, KiB(64));
  if (me == 0) {
    gex_AM_SrcDesc_t sd = gex_AM_PrepareRequestMedium(world, next_rank(), NULL, 5000, 5000, NULL, 0, 0);
    if (argc > 1 && strcmp(argv[1], "request") == 0) gasnet_exit(7);
    gex_AM_CommitRequestMedium0(sd, 200, 5000);
  }
  for (;;) gasnet_AMPoll();
}
