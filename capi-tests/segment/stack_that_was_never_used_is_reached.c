// A put may go to a page of the target's stack that the target has not touched yet, as a variable that it has not written.
// ranks: 1 2 3
// cflags: -DGASNET_SEGMENT_EVERYTHING -fno-pie -no-pie
#include "check.h"

enum { DEEP = 3 << 20 };
static char *there[64];

static __attribute__((noinline)) int run(void) {
  volatile char deep[DEEP]; /* its low end is far below what any function has used */
  char *mine = (char *)deep, back[1000];
  gasnet_node_t i;
  for (i = 0; i < nranks; i++) gasnet_put(i, &there[me], &mine, sizeof mine);
  barrier();
  fill(back, 1000, me);
  gasnet_put(next_rank(), there[next_rank()] + 64, back, 1000);
  gasnet_get(back, next_rank(), there[next_rank()] + 64, 1000);
  CHECK(filled(back, 1000, me));
  barrier();
  CHECK(filled(mine + 64, 1000, prev_rank()));
  barrier();
  return 0;
}

int main(int argc, char **argv) {
  check_start(&argc, &argv, NULL, 0, 0);
  run();
  return check_end();
}
