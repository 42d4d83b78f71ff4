// Between notify and wait a rank may communicate: puts, gets and round trips all work.
#include "check.h"

static volatile int replies;
static void req(gasnet_token_t t) { CHECK(gasnet_AMReplyShort0(t, 201) == GASNET_OK); }
static void rep(gasnet_token_t t) { (void)t; replies++; }

int main(int argc, char **argv) {
  gasnet_handlerentry_t table[] = { HANDLER(200, req), HANDLER(201, rep) };
  int i;
  check_start(&argc, &argv, table, 2, GASNET_PAGESIZE);
  for (i = 0; i < 50; i++) {
    gasnet_barrier_notify(i, 0);
    gasnet_put_val(next_rank(), seg(next_rank()) + 8, (unsigned)i, 8);
    CHECK(gasnet_AMRequestShort0(next_rank(), 200) == GASNET_OK);
    GASNET_BLOCKUNTIL(replies == i + 1);
    CHECK_EQ(gasnet_barrier_wait(i, 0), GASNET_OK);
    barrier();
    CHECK_EQ(*(volatile uint64_t *)(void *)(seg(me) + 8), i);
    barrier();
  }
  return check_end();
}
