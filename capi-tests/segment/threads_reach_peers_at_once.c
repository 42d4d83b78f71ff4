// Several threads of every rank put, get and send Longs to static data and heap of all peers at the same time.
// modes: par
// ranks: 1 2 3 4
// cflags: -DGASNET_SEGMENT_EVERYTHING -fno-pie -no-pie
#include "check.h"
#define tell_areas gasnet_put_bulk
#include "areas.h"

enum { THREADS = 4, PART = 4096, ROUNDS = 50 };
static volatile int hits;
static void on_long(gasnet_token_t t, void *buf, size_t n, gasnet_handlerarg_t seed) {
  (void)t;
  CHECK(filled(buf, n, (unsigned)seed));
  __atomic_add_fetch(&hits, 1, __ATOMIC_RELAXED);
}

static void work(int thread) {
  char mine[PART], back[PART];
  gasnet_node_t to;
  int round, a;
  for (round = 0; round < ROUNDS; round++)
    for (to = 0; to < nranks; to++)
      for (a = 0; a < 4; a++) {
        char *there = area[to][a] + (me * THREADS + (unsigned)thread) * PART;
        unsigned seed = me * 64 + (unsigned)(thread + round);
        fill(mine, PART, seed);
        gasnet_put_nbi(to, there, mine, PART);
        gasnet_wait_syncnbi_puts();
        gasnet_wait_syncnb(gasnet_get_nb(back, to, there, PART));
        CHECK(filled(back, PART, seed));
        /* Always the same bytes, at a place of their own: the handler runs at any time. */
        fill(mine, PART, me + (unsigned)thread);
        if (round % 10 == 0) CHECK(gasnet_AMRequestLong1(to, 200, mine, PART, there + 16 * PART, (int)me + thread) == GASNET_OK);
      }
}

int main(int argc, char **argv) {
  gasnet_handlerentry_t table[] = { HANDLER(200, on_long) };
  static char unused[AREA];
  check_start(&argc, &argv, table, 1, 0);
  find_areas(unused);
  on_threads(THREADS, work);
  GASNET_BLOCKUNTIL(hits == (int)nranks * THREADS * 4 * ROUNDS / 10);
  return check_end();
}
