// Between hold_interrupts and resume_interrupts no handler runs on this thread; they run after it.
#include "check.h"

static volatile int hits;
static volatile int held;
static void hit(gasnet_token_t t) {
  (void)t;
  CHECK(!held);
  hits++;
}

int main(int argc, char **argv) {
  gasnet_handlerentry_t table[] = { HANDLER(200, hit) };
  int i;
  volatile int spin;
  check_start(&argc, &argv, table, 1, 0);
  for (i = 0; i < 100; i++) {
    CHECK(gasnet_AMRequestShort0(next_rank(), 200) == GASNET_OK);
    gasnet_hold_interrupts();
    held = 1;
    for (spin = 0; spin < 1000; spin++) CHECK(gasnet_mynode() == me && gasnet_nodes() == nranks);
    held = 0;
    gasnet_resume_interrupts();
  }
  GASNET_BLOCKUNTIL(hits == 100);
  return check_end();
}
