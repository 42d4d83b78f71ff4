// A request handler takes locks, releases them and replies; the reply handler takes the same lock, also by loopback.
#include "check.h"

static gasnet_hsl_t a = GASNET_HSL_INITIALIZER, b = GASNET_HSL_INITIALIZER;
static volatile int replies;
static int state;
static void req(gasnet_token_t t, gasnet_handlerarg_t v) {
  gasnet_hsl_lock(&a);
  gasnet_hsl_lock(&b);
  state += v;
  gasnet_hsl_unlock(&b);
  gasnet_hsl_unlock(&a);
  CHECK(gasnet_AMReplyShort1(t, 201, v) == GASNET_OK);
}
static void rep(gasnet_token_t t, gasnet_handlerarg_t v) {
  (void)t;
  gasnet_hsl_lock(&a);
  state -= v;
  replies++;
  gasnet_hsl_unlock(&a);
}

int main(int argc, char **argv) {
  gasnet_handlerentry_t table[] = { HANDLER(200, req), HANDLER(201, rep) };
  gasnet_node_t r;
  int i;
  check_start(&argc, &argv, table, 2, 0);
  for (i = 0; i < 200; i++)
    for (r = 0; r < nranks; r++) CHECK(gasnet_AMRequestShort1(r, 200, i) == GASNET_OK);
  GASNET_BLOCKUNTIL(replies == 200 * (int)nranks);
  barrier();
  CHECK_EQ(state, 0);
  return check_end();
}
