// GASNET_BLOCKUNTIL ends when another thread of the rank ran the handler that makes its condition true, in every wait mode.
// ranks: 1 2 3
// modes: par
#include "check.h"

enum { ROUNDS = 100 };
static int flag, payload, stop;
static void hit(gasnet_token_t t, gasnet_handlerarg_t v) { (void)t; payload = v; __atomic_store_n(&flag, v, __ATOMIC_RELEASE); }
static void work(int t) {
  int i;
  if (t == 0)
    for (i = 1; i <= ROUNDS; i++) {
      if (i % 30 == 0) gasnet_set_waitmode(i / 30 % 3);
      CHECK(gasnet_AMRequestShort1(next_rank(), 200, i) == GASNET_OK);
      GASNET_BLOCKUNTIL(*(volatile int *)&flag == i);
      CHECK_EQ(payload, i);
      barrier();
    }
  if (t == 0) __atomic_store_n(&stop, 1, 5);
  else while (!__atomic_load_n(&stop, 5)) gasnet_AMPoll();
}

int main(int argc, char **argv) {
  gasnet_handlerentry_t table[] = { HANDLER(200, hit) };
  check_start(&argc, &argv, table, 1, 0);
  on_threads(3, work);
  return check_end();
}
