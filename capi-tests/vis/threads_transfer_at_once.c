// Threads of each rank put and get non-contiguous regions of their own at the same time, and find their own bytes.
// modes: par
// ranks: 1 2 3
#include "vis.h"

enum { THREADS = 4, ROWS = 50, ROW = 30, PITCH = 100, TURNS = 60 };
static void work(int t) {
  char source[ROWS * ROW], back[ROWS * ROW];
  ptrdiff_t wide[1] = { PITCH }, packed[1] = { ROW };
  size_t count[1] = { ROWS };
  int turn;
  for (turn = 0; turn < TURNS; turn++) {
    gasnet_node_t r = (me + (gasnet_node_t)turn) % nranks;
    char *far = seg(r) + ((size_t)me * THREADS + (size_t)t) * ROWS * PITCH;
    fill(source, sizeof source, (unsigned)(turn * THREADS + t) + me);
    gex_Event_Wait(gex_VIS_StridedPutNB(tm, r, far, wide, source, packed, ROW, count, 1, 0));
    gex_VIS_StridedGetNBI(tm, back, packed, r, far, wide, ROW, count, 1, 0);
    gex_NBI_Wait(GEX_EC_GET, 0);
    CHECK(memcmp(source, back, sizeof source) == 0);
  }
}
int main(int argc, char **argv) {
  vis_start(&argc, &argv, NULL, 0, MiB(1));
  on_threads(THREADS, work);
  return check_end();
}
