// Many LongAsync requests from distinct sources: all arrive whole; the sources are reused only in the reply handler.
#include "check.h"

enum { SLOTS = 16, EACH = 20000, ROUNDS = 200 };
static char *source[SLOTS];
static volatile int busy[SLOTS], done;
static void request(gasnet_token_t t, void *buf, size_t n, gasnet_handlerarg_t slot, gasnet_handlerarg_t seed) {
  CHECK_EQ(n, EACH);
  CHECK(filled(buf, n, (unsigned)seed));
  CHECK(gasnet_AMReplyShort1(t, 201, slot) == GASNET_OK);
}
static void reply(gasnet_token_t t, gasnet_handlerarg_t slot) {
  (void)t;
  memset(source[slot], 0, EACH);
  busy[slot] = 0;
  done++;
}

int main(int argc, char **argv) {
  gasnet_handlerentry_t table[] = { HANDLER(200, request), HANDLER(201, reply) };
  int i;
  check_start(&argc, &argv, table, 2, MiB(1));
  for (i = 0; i < SLOTS; i++) source[i] = (char *)malloc(EACH);
  for (i = 0; i < ROUNDS; i++) {
    int s = i % SLOTS;
    GASNET_BLOCKUNTIL(!busy[s]);
    busy[s] = 1;
    fill(source[s], EACH, (unsigned)i);
    CHECK(gasnet_AMRequestLongAsync2(next_rank(), 200, source[s], EACH, seg(next_rank()) + s * EACH, s, i) == GASNET_OK);
  }
  GASNET_BLOCKUNTIL(done == ROUNDS);
  return check_end();
}
