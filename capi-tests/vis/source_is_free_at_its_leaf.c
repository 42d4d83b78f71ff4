// With GEX_FLAG_ENABLE_LEAF_LC the source of a put may be overwritten once its local completion is synchronised, by leaf event or with NBI: the old contents arrive.
#include "vis.h"

enum { N = 3000, PIECE = 56 };
int main(int argc, char **argv) {
  static gex_Memvec_t there[N], here[N];
  static void *at[N], *from[N];
  char *source, *back;
  ptrdiff_t wide[1] = { PIECE + 8 }, packed[1] = { PIECE };
  size_t count[1] = { N }, i;
  int turn;
  vis_start(&argc, &argv, NULL, 0, MiB(2));
  source = (char *)malloc(N * PIECE), back = (char *)malloc(N * PIECE);
  for (i = 0; i < N; i++) {
    there[i].gex_addr = at[i] = seg(next_rank()) + i * (PIECE + 8), here[i].gex_addr = from[i] = source + i * PIECE;
    there[i].gex_len = here[i].gex_len = PIECE;
  }
  for (turn = 0; turn < 60; turn++) {
    gex_Event_t root = GEX_EVENT_INVALID, leaf = GEX_EVENT_INVALID;
    gex_Flags_t lc = GEX_FLAG_ENABLE_LEAF_LC;
    int nb = turn % 2;
    fill(source, N * PIECE, (unsigned)turn + me);
    switch (turn / 2 % 4) {
      case 0:
        if (nb) root = gex_VIS_VectorPutNB(tm, next_rank(), N, there, N, here, lc);
        else CHECK(gex_VIS_VectorPutNBI(tm, next_rank(), N, there, N, here, lc) == 0);
        break;
      case 1:
        if (nb) root = gex_VIS_IndexedPutNB(tm, next_rank(), N, at, PIECE, N, from, PIECE, lc);
        else CHECK(gex_VIS_IndexedPutNBI(tm, next_rank(), N, at, PIECE, N, from, PIECE, lc) == 0);
        break;
      case 2:
        if (nb) root = gex_VIS_StridedPutNB(tm, next_rank(), seg(next_rank()), wide, source, packed, PIECE, count, 1, lc);
        else CHECK(gex_VIS_StridedPutNBI(tm, next_rank(), seg(next_rank()), wide, source, packed, PIECE, count, 1, lc) == 0);
        break;
      default: /* contiguous on both sides: long runs */
        if (nb) root = gex_VIS_StridedPutNB(tm, next_rank(), seg(next_rank()), packed, source, packed, PIECE, count, 1, lc);
        else CHECK(gex_VIS_StridedPutNBI(tm, next_rank(), seg(next_rank()), packed, source, packed, PIECE, count, 1, lc) == 0);
        break;
    }
    if (nb) {
      leaf = gex_Event_QueryLeaf(root, GEX_EC_LC);
      gex_Event_Wait(leaf);
    } else gex_NBI_Wait(GEX_EC_LC, 0);
    memset(source, 0xee, N * PIECE);
    if (nb) gex_Event_Wait(root);
    else gex_NBI_Wait(GEX_EC_PUT, 0);
    if (turn / 2 % 4 == 3) gasnet_get_bulk(back, next_rank(), seg(next_rank()), N * PIECE);
    else gex_VIS_StridedGetBlocking(tm, back, packed, next_rank(), seg(next_rank()), wide, PIECE, count, 1, 0);
    CHECK(filled(back, N * PIECE, (unsigned)turn + me));
  }
  return check_end();
}
