// Broadcast, scatter, gather, gather-all and exchange of GASNet-1, of every size from every root, from and to segments and other memory: nothing is read before all have come, nor missing after all have left, where the flags say so.
// ranks: 1 2 3 7 16
#include "check_ex.h"
#include <gasnet_coll.h>

static const int ins[] = { GASNET_COLL_IN_MYSYNC, GASNET_COLL_IN_ALLSYNC };
static const int outs[] = { GASNET_COLL_OUT_MYSYNC, GASNET_COLL_OUT_ALLSYNC };
static size_t longest;
static char *heap[2]; /* sources and destinations; each also in the segment */

static char *room(int which, int in_segment) { return in_segment ? seg(me) + which * longest : heap[which]; }

static unsigned char byte_of(unsigned number, gex_Rank_t rank, size_t i) {
  return (unsigned char)(number + 31 * rank + i + i / 251);
}

/* Byte patterns that can be looked at from any offset on. */
static void pattern(char *at, size_t n, unsigned number, gex_Rank_t rank) {
  size_t i;
  for (i = 0; i < n; i++) at[i] = (char)byte_of(number, rank, i);
}
static int is(const char *at, size_t n, unsigned number, gex_Rank_t rank, size_t from) {
  size_t i;
  for (i = 0; i < n; i++)
    if ((unsigned char)at[i] != byte_of(number, rank, from + i)) return 0;
  return 1;
}

int main(int argc, char **argv) {
  static const size_t sizes[] = { 0, 1, 7, 8, 14, 24, 112, 113, 1000, 4096, 16384, 16391, 65536, 140000 };
  uint64_t state = 5;
  unsigned number = 0;
  int s, i, o, what;
  check_init(&argc, &argv, 0);
  longest = sizes[COUNT_OF(sizes) - 1] * nranks + 4096;
  check_attach(NULL, 0, (2 * longest + 65535) / 65536 * 65536);
  heap[0] = (char *)malloc(longest), heap[1] = (char *)malloc(longest);
  for (s = 0; s < COUNT_OF(sizes); s++)
    for (i = 0; i < 2; i++)
      for (o = 0; o < 2; o++)
        for (what = 0; what < 5; what++, number++) {
          size_t n = sizes[s], given, got;
          gex_Rank_t root = number % nranks, r;
          int flags = GASNET_COLL_LOCAL | ins[i] | outs[o], all_in = i, all_out = o;
          unsigned where = (unsigned)(rnd(&state) >> 40) >> (me % 8 * 2);
          int src_in_segment = all_in || (where & 1), dst_in_segment = all_out || (where & 2);
          char *src = room(0, src_in_segment), *dst = room(1, dst_in_segment);
          int i_give = (what != 0 && what != 1) || me == root;
          given = what == 1 || what == 4 ? n * nranks : n;
          got = what == 2 || what == 3 || what == 4 ? n * nranks : n;
          memset(dst, 0x77, got);
          if (all_in) {
            /* Nobody writes its own: a neighbour puts it, just before it comes itself. */
            memset(src, 0x55, given);
            barrier();
            if ((what != 0 && what != 1) || next_rank() == root) {
              pattern(heap[0], given, number, next_rank());
              gex_RMA_PutBlocking(world, next_rank(), seg(next_rank()), heap[0], given, 0);
            }
          } else if (i_give) pattern(src, given, number, me);
          switch (what) {
            case 0: gasnet_coll_broadcast(GASNET_TEAM_ALL, dst, root, src, n, flags); break;
            case 1: gasnet_coll_scatter(GASNET_TEAM_ALL, dst, root, src, n, flags); break;
            case 2: gasnet_coll_gather(GASNET_TEAM_ALL, root, dst, src, n, flags); break;
            case 3: gasnet_coll_gather_all(GASNET_TEAM_ALL, dst, src, n, flags); break;
            case 4: gasnet_coll_exchange(GASNET_TEAM_ALL, dst, src, n, flags); break;
          }
          /* May be used again. */
          if (!all_in) memset(src, 0x66, given);
          switch (what) {
            case 0: CHECK(is(dst, n, number, root, 0)); break;
            case 1: CHECK(is(dst, n, number, root, n * me)); break;
            case 2: if (me != root) break; /* fall through */
            case 3: for (r = 0; r < nranks; r++) CHECK(is(dst + n * r, n, number, r, 0)); break;
            case 4: for (r = 0; r < nranks; r++) CHECK(is(dst + n * r, n, number, r, n * me)); break;
          }
          if (all_out && (what != 2 || next_rank() == root)) {
            /* The neighbour has all of its own, too. */
            gex_Rank_t next = next_rank();
            gex_RMA_GetBlocking(world, heap[0], next, seg(next) + longest, got, 0);
            switch (what) {
              case 0: CHECK(is(heap[0], n, number, root, 0)); break;
              case 1: CHECK(is(heap[0], n, number, root, n * next)); break;
              case 2: case 3: for (r = 0; r < nranks; r++) CHECK(is(heap[0] + n * r, n, number, r, 0)); break;
              case 4: for (r = 0; r < nranks; r++) CHECK(is(heap[0] + n * r, n, number, r, n * next)); break;
            }
          }
          if (all_in || all_out) barrier();
        }
  return check_end();
}
