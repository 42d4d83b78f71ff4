// Thousands of value gets may be in flight; each handle gives its own value, in any order of waiting.
#include "check.h"

enum { N = 5000 };
int main(int argc, char **argv) {
  static gasnet_valget_handle_t h[N];
  uint64_t *mine;
  int i, round;
  check_start(&argc, &argv, NULL, 0, MiB(1));
  mine = (uint64_t *)(void *)seg(me);
  for (i = 0; i < N; i++) mine[i] = (uint64_t)i * 3 + me;
  barrier();
  for (round = 0; round < 4; round++) {
    gasnet_node_t r = (me + (gasnet_node_t)round) % nranks;
    for (i = 0; i < N; i++) h[i] = gasnet_get_nb_val(r, seg(r) + 8 * i, 8);
    for (i = 0; i < N; i++) {
      int k = round % 2 ? N - 1 - i : i;
      CHECK_EQ(gasnet_wait_syncnb_valget(h[k]), (uint64_t)k * 3 + r);
    }
  }
  return check_end();
}
