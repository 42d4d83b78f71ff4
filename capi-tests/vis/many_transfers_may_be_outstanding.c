// Hundreds of puts and gets in flight, with and without handles, also in an access region, to several ranks: each transfers its own bytes.
#include "vis.h"

enum { N = 300, PIECES = 12, LEN = 20 };
int main(int argc, char **argv) {
  static gex_Memvec_t there[N][PIECES], here[N][PIECES];
  static gex_Event_t events[N];
  static char source[N][PIECES * LEN], back[N][PIECES * LEN];
  int i, k, way;
  vis_start(&argc, &argv, NULL, 0, MiB(1));
  for (way = 0; way < 3; way++) {
    for (i = 0; i < N; i++) {
      gasnet_node_t r = (me + (gasnet_node_t)i) % nranks;
      fill(source[i], sizeof source[i], (unsigned)(i + way) + me);
      for (k = 0; k < PIECES; k++) {
        /* Every rank has its own columns of everyone's area. */
        there[i][k].gex_addr = seg(r) + me * (MiB(1) / 8) + ((size_t)(i / (int)nranks) * PIECES + (size_t)k) * (LEN + 4);
        there[i][k].gex_len = LEN;
        here[i][k].gex_addr = source[i] + (PIECES - 1 - k) * LEN, here[i][k].gex_len = LEN;
      }
    }
    if (way == 2) gex_NBI_BeginAccessRegion(0);
    for (i = 0; i < N; i++) {
      gasnet_node_t r = (me + (gasnet_node_t)i) % nranks;
      if (way == 0) events[i] = gex_VIS_VectorPutNB(tm, r, PIECES, there[i], PIECES, here[i], 0);
      else CHECK(gex_VIS_VectorPutNBI(tm, r, PIECES, there[i], PIECES, here[i], 0) == 0);
    }
    if (way == 0) gex_Event_WaitAll(events, N, 0);
    else if (way == 1) gex_NBI_Wait(GEX_EC_PUT, 0);
    else gex_Event_Wait(gex_NBI_EndAccessRegion(0));
    for (i = 0; i < N; i++)
      for (k = 0; k < PIECES; k++) here[i][k].gex_addr = back[i] + (PIECES - 1 - k) * LEN;
    memset(back, 0, sizeof back);
    if (way == 2) gex_NBI_BeginAccessRegion(0);
    for (i = 0; i < N; i++) {
      gasnet_node_t r = (me + (gasnet_node_t)i) % nranks;
      if (way == 0) events[i] = gex_VIS_VectorGetNB(tm, PIECES, here[i], r, PIECES, there[i], 0);
      else CHECK(gex_VIS_VectorGetNBI(tm, PIECES, here[i], r, PIECES, there[i], 0) == 0);
    }
    if (way == 0) gex_Event_WaitAll(events, N, 0);
    else if (way == 1) gex_NBI_Wait(GEX_EC_GET, 0);
    else gex_Event_Wait(gex_NBI_EndAccessRegion(0));
    CHECK(memcmp(source, back, sizeof source) == 0);
    barrier();
  }
  return check_end();
}
