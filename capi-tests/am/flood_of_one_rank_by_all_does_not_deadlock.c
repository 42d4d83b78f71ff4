// All ranks flood rank 0 with requests that it answers, far beyond any queue, in each category; nothing is lost and nothing hangs.
#include "check.h"

enum { N = 3000, M = 600 };
static volatile int replies, requests;
static volatile long long sum;
static void s_req(gasnet_token_t t, gasnet_handlerarg_t v) { requests++; sum += v; CHECK(gasnet_AMReplyShort1(t, 203, v) == GASNET_OK); }
static void m_req(gasnet_token_t t, void *b, size_t n, gasnet_handlerarg_t v) { requests++; CHECK(filled(b, n, (unsigned)v)); CHECK(gasnet_AMReplyMedium1(t, 204, b, n, v) == GASNET_OK); }
static void s_rep(gasnet_token_t t, gasnet_handlerarg_t v) { (void)t, (void)v; replies++; }
static void m_rep(gasnet_token_t t, void *b, size_t n, gasnet_handlerarg_t v) { (void)t; CHECK(filled(b, n, (unsigned)v)); replies++; }

int main(int argc, char **argv) {
  gasnet_handlerentry_t table[] = { HANDLER(200, s_req), HANDLER(201, m_req), HANDLER(203, s_rep), HANDLER(204, m_rep) };
  static char bytes[9000];
  int i;
  check_start(&argc, &argv, table, COUNT_OF(table), MiB(1));
  for (i = 0; i < N; i++) CHECK(gasnet_AMRequestShort1(0, 200, i) == GASNET_OK);
  for (i = 0; i < M; i++) {
    size_t n = (size_t)i * 15 % sizeof bytes;
    fill(bytes, n, (unsigned)i);
    CHECK(gasnet_AMRequestMedium1(0, 201, bytes, n, i) == GASNET_OK);
  }
  GASNET_BLOCKUNTIL(replies == N + M);
  if (me == 0) {
    GASNET_BLOCKUNTIL(requests == (N + M) * (int)nranks);
    CHECK_EQ(sum, (long long)nranks * N * (N - 1) / 2);
  }
  return check_end();
}
