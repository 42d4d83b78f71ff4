// Several threads poll at once while several send; every message is handled exactly once.
// ranks: 1 2 3
// modes: par
#include "check.h"

enum { SENDERS = 3, POLLERS = 3, N = 1500 };
static unsigned char seen[SENDERS * 16][N];
static int hits, sending = SENDERS;
static void hit(gasnet_token_t t, gasnet_handlerarg_t who, gasnet_handlerarg_t i) {
  (void)t;
  CHECK_EQ(__atomic_add_fetch(&seen[who][i], 1, 5), 1);
  __atomic_add_fetch(&hits, 1, 5);
}
static void work(int t) {
  int i;
  if (t < SENDERS) {
    for (i = 0; i < N; i++) CHECK(gasnet_AMRequestShort2(next_rank(), 200, (gasnet_handlerarg_t)me * SENDERS + t, i) == GASNET_OK);
    __atomic_sub_fetch(&sending, 1, 5);
  } else
    while (__atomic_load_n(&sending, 5) || __atomic_load_n(&hits, 5) < SENDERS * N) gasnet_AMPoll();
}

int main(int argc, char **argv) {
  gasnet_handlerentry_t table[] = { HANDLER(200, hit) };
  check_start(&argc, &argv, table, 1, 0);
  on_threads(SENDERS + POLLERS, work);
  barrier();
  CHECK_EQ(hits, SENDERS * N);
  return check_end();
}
