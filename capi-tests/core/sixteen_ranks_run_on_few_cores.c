// More ranks than cores make progress: barriers, messages all to all and puts.
// ranks: 16
// modes: par seq
#include "check.h"

static int hits;
static void hit(gasnet_token_t t, gasnet_handlerarg_t a) {
  CHECK_EQ(a, 33);
  CHECK(gasnet_AMReplyShort1(t, 201, 34) == GASNET_OK);
}
static void back(gasnet_token_t t, gasnet_handlerarg_t a) { (void)t; CHECK_EQ(a, 34); hits++; }

int main(int argc, char **argv) {
  gasnet_handlerentry_t table[] = { HANDLER(200, hit), HANDLER(201, back) };
  gasnet_node_t r;
  int round;
  check_start(&argc, &argv, table, 2, MiB(1));
  for (round = 0; round < 10; round++) {
    for (r = 0; r < nranks; r++) {
      CHECK(gasnet_AMRequestShort1(r, 200, 33) == GASNET_OK);
      gasnet_put_nbi_val(r, seg(r) + 8 * me, me + (unsigned)round, 8);
    }
    gasnet_wait_syncnbi_all();
    GASNET_BLOCKUNTIL(hits == (int)nranks * (round + 1));
    barrier();
    for (r = 0; r < nranks; r++) CHECK_EQ(((uint64_t *)(void *)seg(me))[r], r + (unsigned)round);
    barrier();
  }
  return check_end();
}
