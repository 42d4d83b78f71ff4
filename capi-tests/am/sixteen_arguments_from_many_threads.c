// Four threads a rank send 16-argument messages of each category at once; arguments of different messages never mix.
// ranks: 1 2 3
// modes: par
#include "check.h"

enum { THREADS = 4, N = 300 };
static int requests, replies[THREADS];
#define ARGS gasnet_handlerarg_t a0, gasnet_handlerarg_t a1, gasnet_handlerarg_t a2, gasnet_handlerarg_t a3, gasnet_handlerarg_t a4, gasnet_handlerarg_t a5, \
  gasnet_handlerarg_t a6, gasnet_handlerarg_t a7, gasnet_handlerarg_t a8, gasnet_handlerarg_t a9, gasnet_handlerarg_t a10, gasnet_handlerarg_t a11, \
  gasnet_handlerarg_t a12, gasnet_handlerarg_t a13, gasnet_handlerarg_t a14, gasnet_handlerarg_t a15
#define PASS a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15
#define FROM(x) x, x + 1, x + 2, x + 3, x + 4, x + 5, x + 6, x + 7, x + 8, x + 9, x + 10, x + 11, x + 12, x + 13, x + 14, x + 15
static void row(ARGS) {
  gasnet_handlerarg_t a[] = { PASS };
  int i;
  for (i = 1; i < 16; i++) CHECK_EQ(a[i], a[0] + i);
}
static void s_req(gasnet_token_t t, ARGS) { row(PASS); __atomic_add_fetch(&requests, 1, 5); CHECK(gasnet_AMReplyShort16(t, 203, a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15) == GASNET_OK); }
static void m_req(gasnet_token_t t, void *b, size_t n, ARGS) {
  row(PASS);
  CHECK(filled(b, n, (unsigned)a0));
  __atomic_add_fetch(&requests, 1, 5);
  CHECK(gasnet_AMReplyMedium16(t, 204, b, n, a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15) == GASNET_OK);
}
static void s_rep(gasnet_token_t t, ARGS) { (void)t; row(PASS); __atomic_add_fetch(&replies[a0 % 1000000 / 100000], 1, 5); }
static void m_rep(gasnet_token_t t, void *b, size_t n, ARGS) { (void)t; row(PASS); CHECK(filled(b, n, (unsigned)a0)); __atomic_add_fetch(&replies[a0 % 1000000 / 100000], 1, 5); }

#define SEND(call) CHECK(call == GASNET_OK)
static void work(int thread) {
  char bytes[2000];
  int i;
  for (i = 0; i < N; i++) {
    int x = (int)me * 1000000 + thread * 100000 + i * 16;
    size_t n = (size_t)i * 7 % sizeof bytes;
    gasnet_node_t to = (me + (gasnet_node_t)i) % nranks;
    fill(bytes, n, (unsigned)x);
    SEND(gasnet_AMRequestShort16(to, 200, x, x + 1, x + 2, x + 3, x + 4, x + 5, x + 6, x + 7, x + 8, x + 9, x + 10, x + 11, x + 12, x + 13, x + 14, x + 15));
    SEND(gasnet_AMRequestMedium16(to, 201, bytes, n, x, x + 1, x + 2, x + 3, x + 4, x + 5, x + 6, x + 7, x + 8, x + 9, x + 10, x + 11, x + 12, x + 13, x + 14, x + 15));
    SEND(gasnet_AMRequestLong16(to, 201, bytes, n, seg(to) + (me * THREADS + (unsigned)thread) * 32768 + (unsigned)i % 8 * 4096, x, x + 1, x + 2, x + 3, x + 4, x + 5, x + 6, x + 7, x + 8, x + 9, x + 10, x + 11, x + 12, x + 13, x + 14, x + 15));
    if (i % 8 == 7) GASNET_BLOCKUNTIL(__atomic_load_n(&replies[thread], 5) == 3 * (i + 1));
  }
  GASNET_BLOCKUNTIL(__atomic_load_n(&replies[thread], 5) == 3 * N);
}

int main(int argc, char **argv) {
  gasnet_handlerentry_t table[] = { HANDLER(200, s_req), HANDLER(201, m_req), HANDLER(203, s_rep), HANDLER(204, m_rep) };
  check_start(&argc, &argv, table, COUNT_OF(table), MiB(2));
  on_threads(THREADS, work);
  GASNET_BLOCKUNTIL(__atomic_load_n(&requests, 5) == 3 * N * THREADS);
  return check_end();
}
