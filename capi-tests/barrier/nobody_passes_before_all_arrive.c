// No rank leaves a barrier before every rank has entered it: round numbers written by peers are never behind.
#include "check.h"

int main(int argc, char **argv) {
  volatile uint32_t *mine;
  uint64_t state;
  gasnet_node_t r;
  uint32_t round;
  check_start(&argc, &argv, NULL, 0, GASNET_PAGESIZE);
  mine = (volatile uint32_t *)(void *)seg(me);
  state = me + 1;
  for (round = 1; round <= 200; round++) {
    if (rnd(&state) % 16 == 0) usleep((unsigned)(rnd(&state) % 300));
    for (r = 0; r < nranks; r++) gasnet_put_val(r, seg(r) + 4 * me, round, 4);
    switch (round % 4) {
      case 0: CHECK_EQ(gasnet_barrier((int)round, 0), GASNET_OK); break;
      case 1: barrier(); break;
      case 2: CHECK_EQ(gasnet_barrier(0, GASNET_BARRIERFLAG_UNNAMED), GASNET_OK); break;
      case 3:
        gasnet_barrier_notify(0, GASNET_BARRIERFLAG_UNNAMED);
        while (gasnet_barrier_try(0, GASNET_BARRIERFLAG_UNNAMED) == GASNET_ERR_NOT_READY) gasnet_AMPoll();
        break;
    }
    for (r = 0; r < nranks; r++) {
      uint32_t seen = mine[r];
      CHECK(seen == round || seen == round + 1);
    }
  }
  return check_end();
}
