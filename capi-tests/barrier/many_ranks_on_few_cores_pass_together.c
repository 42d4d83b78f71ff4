// Ranks that share cores, but no memory, use a tree of 16 children: with 20 ranks it has two levels. No rank leaves a barrier before every rank has
// entered it, and mismatches anywhere in the tree are seen by all.
// ranks: 20
// modes: par
// once: yes
// env: GASNET_SUPERNODE_MAXSIZE=1
// needs: test "${GASNET_CONDUIT-}" = udp
#include "check.h"

int main(int argc, char **argv) {
  volatile uint32_t *mine;
  gasnet_node_t r;
  uint32_t round;
  check_start(&argc, &argv, NULL, 0, GASNET_PAGESIZE);
  mine = (volatile uint32_t *)(void *)seg(me);
  for (round = 1; round <= 60; round++) {
    const gasnet_node_t odd = round % nranks;
    gasnet_put_val(odd, seg(odd) + 4 * me, round, 4);
    gasnet_put_val(next_rank(), seg(next_rank()) + 1024 + 4 * me, round, 4);
    if (round % 3 == 0) {
      CHECK_EQ(gasnet_barrier(me == odd ? -1 : (int)round, 0), GASNET_ERR_BARRIER_MISMATCH);
    } else if (round % 3 == 1) {
      gasnet_barrier_notify((int)round, me == odd ? GASNET_BARRIERFLAG_ANONYMOUS : 0);
      CHECK_EQ(gasnet_barrier_wait((int)round, me == odd ? GASNET_BARRIERFLAG_ANONYMOUS : 0), GASNET_OK);
    } else {
      barrier();
    }
    if (me == odd)
      for (r = 0; r < nranks; r++) CHECK(mine[r] == round);
    CHECK(*(volatile uint32_t *)(void *)(seg(me) + 1024 + 4 * prev_rank()) >= round);
  }
  return check_end();
}
