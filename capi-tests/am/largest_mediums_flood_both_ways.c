// All ranks send the largest Mediums to all, each answered by one as large, many in flight: payload buffers run out and nothing hangs or mixes.
// ranks: 1 2 3 4
#include "check.h"

enum { N = 60 };
static volatile int requests, replies;
static void look(void *b, size_t n, gasnet_handlerarg_t seed) {
  CHECK_EQ(n, gasnet_AMMaxMedium());
  CHECK(filled(b, n, (unsigned)seed));
}
static void req(gasnet_token_t t, void *b, size_t n, gasnet_handlerarg_t seed) {
  look(b, n, seed);
  requests++;
  CHECK(gasnet_AMReplyMedium1(t, 201, b, n, seed) == GASNET_OK);
}
static void rep(gasnet_token_t t, void *b, size_t n, gasnet_handlerarg_t seed) { (void)t; look(b, n, seed); replies++; }

int main(int argc, char **argv) {
  gasnet_handlerentry_t table[] = { HANDLER(200, req), HANDLER(201, rep) };
  char *bytes;
  gasnet_node_t r;
  int i;
  check_start(&argc, &argv, table, 2, 0);
  bytes = (char *)malloc(gasnet_AMMaxMedium());
  for (i = 0; i < N; i++)
    for (r = 0; r < nranks; r++) {
      int seed = (int)me * 1000 + i;
      fill(bytes, gasnet_AMMaxMedium(), (unsigned)seed);
      CHECK(gasnet_AMRequestMedium1((me + r) % nranks, 200, bytes, gasnet_AMMaxMedium(), seed) == GASNET_OK);
    }
  GASNET_BLOCKUNTIL(replies == N * (int)nranks && requests == N * (int)nranks);
  return check_end();
}
