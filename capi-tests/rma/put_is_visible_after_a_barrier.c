// Data that were put and synchronised before a barrier are visible after it to the target's loads and to all ranks' gets, in every form.
#include "check.h"

int main(int argc, char **argv) {
  gasnet_node_t r, s;
  uint64_t v, *mine;
  int round;
  check_start(&argc, &argv, NULL, 0, MiB(1));
  mine = (uint64_t *)(void *)seg(me);
  for (round = 1; round <= 60; round++) {
    for (r = 0; r < nranks; r++) {
      v = (uint64_t)round << 32 | me << 16 | r;
      switch (round % 5) {
        case 0: gasnet_put(r, seg(r) + 8 * me, &v, 8); break;
        case 1: gasnet_put_val(r, seg(r) + 8 * me, v, 8); break;
        case 2: gasnet_put_nbi(r, seg(r) + 8 * me, &v, 8); break;
        case 3: gasnet_put_nbi_val(r, seg(r) + 8 * me, v, 8); break;
        case 4: gasnet_wait_syncnb(gasnet_put_nb_val(r, seg(r) + 8 * me, v, 8)); break;
      }
    }
    gasnet_wait_syncnbi_puts();
    barrier();
    for (s = 0; s < nranks; s++) CHECK_EQ(((volatile uint64_t *)mine)[s], (uint64_t)round << 32 | s << 16 | me);
    for (r = 0; r < nranks; r++)
      for (s = 0; s < nranks; s++) CHECK_EQ(gasnet_get_val(r, seg(r) + 8 * s, 8), (uint64_t)round << 32 | s << 16 | r);
    barrier();
  }
  return check_end();
}
