// Reductions of vectors of every size that lie in segments or elsewhere, in place and not, to each root and to all; the sources may be overwritten when the event is done.
// ranks: 2 3 7 16
#include "check_ex.h"
#include <gasnet_coll.h>

#define MOST 30000

int main(int argc, char **argv) {
  static const int counts[] = { 1, 30, 31, 500, 2047, 2048, 2500, 9000, MOST };
  static uint64_t heap[2][MOST];
  unsigned number = 0;
  int c, where, i;
  gex_Rank_t root;
  check_start(&argc, &argv, NULL, 0, (2 * sizeof heap[0] + 65535) / 65536 * 65536);
  for (c = 0; c < COUNT_OF(counts); c++)
    for (root = 0; root <= nranks; root++)
      for (where = 0; where < 6; where++, number++) {
        /* 0: all in segments; 1: none; 2: some; 3 to 5: the same, in place */
        int in_segment = where % 3 == 0 || (where % 3 == 2 && me % 2), n = counts[c];
        uint64_t *src = in_segment ? (uint64_t *)(void *)seg(me) : heap[0];
        uint64_t *dst = where >= 3 ? src : in_segment ? (uint64_t *)(void *)seg(me) + MOST : heap[1];
        if (c > 5 && nranks > 3 && root % 3 && root != nranks) continue;
        for (i = 0; i < n; i++) src[i] = (uint64_t)number * 1000003 * (me + 1) + (uint64_t)i * me;
        gex_Event_Wait(root == nranks
          ? gex_Coll_ReduceToAllNB(world, dst, src, GEX_DT_U64, 8, (size_t)n, GEX_OP_ADD, NULL, NULL, 0)
          : gex_Coll_ReduceToOneNB(world, root, root == me ? dst : NULL, src, GEX_DT_U64, 8, (size_t)n, GEX_OP_ADD, NULL, NULL, 0));
        if (dst != src || (root != me && root != nranks)) memset(src, 0x66, (size_t)n * 8);
        if (root == me || root == nranks) {
          uint64_t all = (uint64_t)nranks * (nranks + 1) / 2, wrong = 0;
          for (i = 0; i < n; i++)
            wrong += dst[i] != (uint64_t)number * 1000003 * all + (uint64_t)i * (all - nranks);
          CHECK_EQ(wrong, 0);
        }
      }
  return check_end();
}
