// While one thread waits in a barrier, another thread of the rank completes round trips with a rank that also waits.
// ranks: 2 3
// modes: par
#include "check.h"

static int replies;
static void req(gasnet_token_t t) { CHECK(gasnet_AMReplyShort0(t, 201) == GASNET_OK); }
static void rep(gasnet_token_t t) { (void)t; __atomic_add_fetch(&replies, 1, 5); }
static void work(int t) {
  int i;
  if (t == 0) {
    for (i = 0; i < 100; i++) CHECK_EQ(gasnet_barrier(i, 0), GASNET_OK);
    return;
  }
  for (i = 0; i < 300; i++) {
    CHECK(gasnet_AMRequestShort0(next_rank(), 200) == GASNET_OK);
    GASNET_BLOCKUNTIL(__atomic_load_n(&replies, 5) >= i + 1);
  }
}

int main(int argc, char **argv) {
  gasnet_handlerentry_t table[] = { HANDLER(200, req), HANDLER(201, rep) };
  check_start(&argc, &argv, table, 2, GASNET_PAGESIZE);
  on_threads(2, work);
  return check_end();
}
