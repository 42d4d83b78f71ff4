// A rank that sleeps in a barrier is woken by each message and answers it: a thousand round trips take no longer than
// so many turns of the scheduler, and not so many times the longest sleep.
// ranks: 2
#include "check.h"

enum { ROUNDS = 1000 };
static volatile int came;
static void pong(gasnet_token_t t) { (void)t; came++; }
static void pong_with(gasnet_token_t t, void *buf, size_t n) { (void)t; (void)buf; (void)n; came++; }
static void ping(gasnet_token_t t) { CHECK(gasnet_AMReplyShort0(t, 202) == GASNET_OK); }
static void ping_with(gasnet_token_t t, void *buf, size_t n) {
  CHECK(gasnet_AMReplyMedium0(t, 203, buf, n) == GASNET_OK);
}

int main(int argc, char **argv) {
  gasnet_handlerentry_t table[] = { HANDLER(200, ping), HANDLER(201, ping_with), HANDLER(202, pong), HANDLER(203, pong_with) };
  char bytes[100] = { 0 };
  int i;
  check_start(&argc, &argv, table, 4, KiB(64));
  if (gasnet_mynode() == 0) {
    // The others are in the barrier, and asleep, before the first message and again after some.
    for (i = 1; i <= ROUNDS; i++) {
      if (i % (ROUNDS / 4) == 1) usleep(300000);
      switch (i % 3) {
      case 0: CHECK(gasnet_AMRequestShort0(1, 200) == GASNET_OK); break;
      case 1: CHECK(gasnet_AMRequestMedium0(1, 201, bytes, sizeof bytes) == GASNET_OK); break;
      case 2: CHECK(gasnet_AMRequestLong0(1, 201, bytes, sizeof bytes, seg(1)) == GASNET_OK); break;
      }
      GASNET_BLOCKUNTIL(came == i);
    }
  }
  barrier();
  return check_end();
}
