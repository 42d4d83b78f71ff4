// A rank that waits in a barrier still serves requests: another rank completes round trips with it before it arrives itself.
// ranks: 2 3 4 7
#include "check.h"

static volatile int replies;
static void req(gasnet_token_t t) { CHECK(gasnet_AMReplyShort0(t, 201) == GASNET_OK); }
static void rep(gasnet_token_t t) { (void)t; replies++; }

int main(int argc, char **argv) {
  gasnet_handlerentry_t table[] = { HANDLER(200, req), HANDLER(201, rep) };
  gasnet_node_t r;
  int i;
  check_start(&argc, &argv, table, 2, 0);
  if (me == 0)
    for (i = 0; i < 100; i++) {
      for (r = 1; r < nranks; r++) CHECK(gasnet_AMRequestShort0(r, 200) == GASNET_OK);
      GASNET_BLOCKUNTIL(replies == (i + 1) * ((int)nranks - 1));
    }
  barrier();
  return check_end();
}
