// Requests that are never answered do not use up anything: a long one-way flood ends.
#include "check.h"

enum { N = 20000 };
static volatile int hits;
static void hit(gasnet_token_t t, gasnet_handlerarg_t a) { (void)t, (void)a; hits++; }
static void mhit(gasnet_token_t t, void *b, size_t n, gasnet_handlerarg_t a) { (void)t; CHECK(n == 0 || ((char *)b)[n - 1] == (char)a); hits++; }

int main(int argc, char **argv) {
  gasnet_handlerentry_t table[] = { HANDLER(200, hit), HANDLER(201, mhit) };
  char bytes[300];
  int i;
  check_start(&argc, &argv, table, 2, 0);
  for (i = 0; i < N; i++) {
    CHECK(gasnet_AMRequestShort1(next_rank(), 200, i) == GASNET_OK);
    if (i % 8) continue;
    memset(bytes, i, sizeof bytes);
    CHECK(gasnet_AMRequestMedium1(next_rank(), 201, bytes, (size_t)i % 301, i) == GASNET_OK);
  }
  GASNET_BLOCKUNTIL(hits == N + N / 8);
  return check_end();
}
