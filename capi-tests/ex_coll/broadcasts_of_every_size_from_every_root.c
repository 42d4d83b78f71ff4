// Bytes of every size, in and out of the segment, come from every root to every member; at the root in place and not.
#include "check_ex.h"
#include <gasnet_coll.h>

int main(int argc, char **argv) {
  static const size_t sizes[] = { 0, 1, 7, 64, 100, 1000, 4096, 16384, 16385, 65536, 70001, 300000, 3000001 };
  char *heap = (char *)malloc(3000008), *from = (char *)malloc(3000008);
  gex_Rank_t root;
  int s;
  check_start(&argc, &argv, NULL, 0, MiB(4));
  for (s = 0; s < COUNT_OF(sizes); s++)
    for (root = 0; root < nranks; root++) {
      char *dst = (s & 1 ? heap : seg(me)) + (s % 8);
      int in_place = s % 3 == 0;
      char *src = in_place ? dst : from;
      size_t n = sizes[s];
      dst[n] = 17;
      if (me == root) fill(src, n, (unsigned)(s * 100) + root);
      gex_Event_Wait(gex_Coll_BroadcastNB(world, root, dst, me == root ? src : NULL, n, 0));
      CHECK(filled(dst, n, (unsigned)(s * 100) + root));
      CHECK_EQ(dst[n], 17);
    }
  barrier();
  return check_end();
}
