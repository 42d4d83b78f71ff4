// Threads of a rank transfer data concurrently in all forms; implicit synchronisation and handles of different threads are independent.
// ranks: 1 2 3
// modes: par
#include "check.h"

enum { THREADS = 6, ROUNDS = 150, AREA = 32768 };
static void work(int t) {
  unsigned char a[4096], b[4096];
  uint64_t state = 77 + (unsigned)t + me * 100;
  int i;
  for (i = 0; i < ROUNDS; i++) {
    gasnet_node_t r = (gasnet_node_t)(rnd(&state) % nranks);
    char *far = seg(r) + (me * THREADS + (unsigned)t) * AREA + rnd(&state) % (AREA - sizeof a);
    size_t n = rnd(&state) % sizeof a;
    gasnet_handle_t h;
    fill(a, n, (unsigned)i);
    switch (i % 4) {
      case 0: gasnet_put_bulk(r, far, a, n); break;
      case 1: h = gasnet_put_nb_bulk(r, far, a, n); gasnet_wait_syncnb(h); break;
      case 2: gasnet_put_nbi_bulk(r, far, a, n); gasnet_wait_syncnbi_puts(); break;
      case 3: gasnet_begin_nbi_accessregion(); gasnet_put_nbi_bulk(r, far, a, n); gasnet_wait_syncnb(gasnet_end_nbi_accessregion()); break;
    }
    memset(b, 0, sizeof b);
    switch (i % 3) {
      case 0: gasnet_get_bulk(b, r, far, n); break;
      case 1: gasnet_wait_syncnb(gasnet_get_nb_bulk(b, r, far, n)); break;
      case 2: gasnet_get_nbi_bulk(b, r, far, n); while (gasnet_try_syncnbi_gets() != GASNET_OK) {} break;
    }
    CHECK(filled(b, n, (unsigned)i));
  }
}

int main(int argc, char **argv) {
  check_start(&argc, &argv, NULL, 0, MiB(2));
  on_threads(THREADS, work);
  return check_end();
}
