// The ranks are 0..nodes-1, each once, and nodes is the requested number.
#include "check.h"

static int seen;
static void came(gasnet_token_t token, gasnet_handlerarg_t from) {
  gasnet_node_t src;
  CHECK(gasnet_AMGetMsgSource(token, &src) == GASNET_OK);
  CHECK_EQ(src, from);
  __atomic_add_fetch(&seen, 1, __ATOMIC_RELAXED);
}

int main(int argc, char **argv) {
  gasnet_handlerentry_t table[] = { HANDLER(200, came) };
  check_start(&argc, &argv, table, 1, 0);
  CHECK_EQ(nranks, atoi(getenv("RANKS")));
  CHECK(me < nranks);
  MUST(gasnet_AMRequestShort1(0, 200, (gasnet_handlerarg_t)me) == GASNET_OK);
  if (me == 0) GASNET_BLOCKUNTIL(__atomic_load_n(&seen, __ATOMIC_RELAXED) == (int)nranks);
  return check_end();
}
