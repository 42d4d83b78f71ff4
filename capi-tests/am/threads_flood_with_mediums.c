// Threads of all ranks send Mediums and Longs of random sizes to all ranks at once, with replies that carry payloads.
// ranks: 2 3
// modes: par
#include "check.h"

enum { THREADS = 4, N = 250, MAX = 20000 };
static int replies[THREADS], requests;
static void req(gasnet_token_t t, void *b, size_t n, gasnet_handlerarg_t thread, gasnet_handlerarg_t seed) {
  CHECK(filled(b, n, (unsigned)seed));
  __atomic_add_fetch(&requests, 1, 5);
  CHECK(gasnet_AMReplyMedium2(t, 202, b, n, thread, seed) == GASNET_OK);
}
static void rep(gasnet_token_t t, void *b, size_t n, gasnet_handlerarg_t thread, gasnet_handlerarg_t seed) {
  (void)t;
  CHECK(filled(b, n, (unsigned)seed));
  __atomic_add_fetch(&replies[thread], 1, 5);
}
static void work(int t) {
  uint64_t s = 1 + (unsigned)t + me * 64;
  char *bytes = (char *)malloc(MAX);
  int i;
  for (i = 0; i < N; i++) {
    gasnet_node_t to = (gasnet_node_t)(rnd(&s) % nranks);
    size_t n = rnd(&s) % 3 ? rnd(&s) % 300 : rnd(&s) % MAX;
    fill(bytes, n, (unsigned)i + me);
    if (i % 5) CHECK(gasnet_AMRequestMedium2(to, 200, bytes, n, t, i + (int)me) == GASNET_OK);
    else {
      /* one Long area a sending thread: all answers first */
      GASNET_BLOCKUNTIL(__atomic_load_n(&replies[t], 5) == i);
      CHECK(gasnet_AMRequestLong2(to, 200, bytes, n, seg(to) + (me * THREADS + (unsigned)t) * MAX, t, i + (int)me) == GASNET_OK);
      GASNET_BLOCKUNTIL(__atomic_load_n(&replies[t], 5) == i + 1);
    }
  }
  GASNET_BLOCKUNTIL(__atomic_load_n(&replies[t], 5) == N);
  free(bytes);
}

int main(int argc, char **argv) {
  gasnet_handlerentry_t table[] = { HANDLER(200, req), HANDLER(202, rep) };
  check_start(&argc, &argv, table, 2, MiB(1));
  on_threads(THREADS, work);
  return check_end();
}
