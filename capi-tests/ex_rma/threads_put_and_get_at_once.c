// Threads of all ranks put and get at once, each with events and implicit operations of its own.
// modes: par
#include "check_ex.h"

enum { THREADS = 4, ROUNDS = 60, EACH = 3000 };

static void work(int t) {
  gex_Rank_t r = next_rank();
  unsigned char src[EACH], dst[EACH];
  char *at = seg(r) + KiB(64) * (size_t)t;
  int round;
  for (round = 0; round < ROUNDS; round++) {
    gex_Event_t lc, ev;
    size_t n = 1 + (size_t)(round * 997) % EACH;
    fill(src, n, (unsigned)(round + t) + me);
    ev = gex_RMA_PutNB(world, r, at, src, n, &lc, 0);
    gex_Event_Wait(lc);
    memset(src, 1, n);
    gex_Event_Wait(ev);
    CHECK(!gex_RMA_GetNBI(world, dst, r, at, n, 0));
    gex_NBI_Wait(GEX_EC_GET, 0);
    CHECK(filled(dst, n, (unsigned)(round + t) + me));
    fill(src, n, (unsigned)(round + t + 7) + me);
    CHECK(!gex_RMA_PutNBI(world, r, at, src, n, GEX_EVENT_GROUP, 0));
    gex_NBI_Wait(GEX_EC_LC, 0);
    memset(src, 2, n);
    gex_NBI_Wait(GEX_EC_PUT, 0);
    gex_Event_Wait(gex_RMA_GetNB(world, dst, r, at, n, 0));
    CHECK(filled(dst, n, (unsigned)(round + t + 7) + me));
  }
}

int main(int argc, char **argv) {
  check_start(&argc, &argv, NULL, 0, MiB(1));
  on_threads(THREADS, work);
  return check_end();
}
