// All ranks send Mediums of every size up to the largest to all at once: each arrives whole, though several arrive in one buffer at the same time, and though some
// have waited for their receivers, which sleep now and then.
// ranks: 3 4
#include "check.h"

#include <unistd.h>

enum { N = 200, ROUNDS = 5 };
static volatile int came;
static void req(gasnet_token_t t, void *b, size_t n, gasnet_handlerarg_t v) { (void)t; CHECK(filled(b, n, (unsigned)v)); came++; }

int main(int argc, char **argv) {
  gasnet_handlerentry_t table[] = { HANDLER(200, req) };
  size_t most;
  char *bytes;
  gasnet_node_t r;
  int i, round;
  check_start(&argc, &argv, table, COUNT_OF(table), MiB(1));
  most = gasnet_AMMaxMedium();
  bytes = (char *)malloc(most);
  for (round = 1; round <= ROUNDS; round++) {
    for (i = 0; i < N; i++) {
      if ((i + 7 * (int)me) % 20 == 0) usleep(1000);
      for (r = 0; r < nranks; r++) {
        size_t n = most * (size_t)(i + 1) / N;
        fill(bytes, n, (unsigned)(i + 1000 * (int)me));
        CHECK(gasnet_AMRequestMedium1((me + r) % nranks, 200, bytes, n, i + 1000 * (int)me) == GASNET_OK);
      }
    }
    GASNET_BLOCKUNTIL(came >= round * N * (int)nranks);
  }
  free(bytes);
  return check_end();
}
