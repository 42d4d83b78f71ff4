// Every rank floods every rank, with replies, before it polls itself: a blocked sender handles arriving messages.
#include "check.h"

enum { N = 800 };
static volatile int replies, requests;
static void s_req(gasnet_token_t t, gasnet_handlerarg_t v) { requests++; CHECK(gasnet_AMReplyShort1(t, 203, v) == GASNET_OK); }
static void m_req(gasnet_token_t t, void *b, size_t n, gasnet_handlerarg_t v) { requests++; CHECK(filled(b, n, (unsigned)v)); CHECK(gasnet_AMReplyMedium1(t, 204, b, n, v) == GASNET_OK); }
static void s_rep(gasnet_token_t t, gasnet_handlerarg_t v) { (void)t, (void)v; replies++; }
static void m_rep(gasnet_token_t t, void *b, size_t n, gasnet_handlerarg_t v) { (void)t; CHECK(filled(b, n, (unsigned)v)); replies++; }

int main(int argc, char **argv) {
  gasnet_handlerentry_t table[] = { HANDLER(200, s_req), HANDLER(201, m_req), HANDLER(203, s_rep), HANDLER(204, m_rep) };
  static char bytes[16384];
  gasnet_node_t r;
  int i;
  check_start(&argc, &argv, table, COUNT_OF(table), MiB(1));
  for (i = 0; i < N; i++)
    for (r = 0; r < nranks; r++) {
      size_t n = (size_t)i * 37 % 6000;
      CHECK(gasnet_AMRequestShort1((me + r) % nranks, 200, i) == GASNET_OK);
      if (i % 4) continue;
      fill(bytes, n, (unsigned)i);
      CHECK(gasnet_AMRequestMedium1((me + r) % nranks, 201, bytes, n, i) == GASNET_OK);
    }
  GASNET_BLOCKUNTIL(replies == (N + N / 4) * (int)nranks);
  GASNET_BLOCKUNTIL(requests == (N + N / 4) * (int)nranks);
  return check_end();
}
