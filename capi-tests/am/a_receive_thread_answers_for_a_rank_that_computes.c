// With GASNET_RCV_THREAD a rank answers messages of every category, and transfers of peers end, while it makes no call. Locks
// exclude the handlers on that thread, and polls of the program handle messages as before.
// ranks: 1 2 3
// modes: par
// env: GASNET_RCV_THREAD=1
#include "check.h"

enum { ROUNDS = 20, BURST = 50 };

static int answers, locked;
static gasnet_hsl_t lock = GASNET_HSL_INITIALIZER;
static int counter;

static void reply(gasnet_token_t t) { (void)t; __atomic_add_fetch(&answers, 1, __ATOMIC_ACQ_REL); }
static void request(gasnet_token_t t) { CHECK(gasnet_AMReplyShort0(t, 203) == GASNET_OK); }
static void request_with(gasnet_token_t t, void *buf, size_t n) {
  (void)buf; (void)n;
  CHECK(gasnet_AMReplyShort0(t, 203) == GASNET_OK);
}
/* Not atomic: the lock protects it. */
static void count(gasnet_token_t t) {
  gasnet_hsl_lock(&lock);
  counter++;
  gasnet_hsl_unlock(&lock);
  CHECK(gasnet_AMReplyShort0(t, 203) == GASNET_OK);
}

/* Computes until `wanted` answers have come: no call of GASNET. */
static void compute_until(int wanted) {
  while (__atomic_load_n(&answers, __ATOMIC_ACQUIRE) < wanted) {
    volatile int work;
    for (work = 0; work < 1000; work++) {}
  }
}

int main(int argc, char **argv) {
  gasnet_handlerentry_t table[] = { HANDLER(200, request), HANDLER(201, request_with), HANDLER(202, count), HANDLER(203, reply) };
  static char bytes[KiB(32)];
  gasnet_node_t to;
  int round, i, wanted = 0, mine = 0;
  check_start(&argc, &argv, table, 4, MiB(4));
  to = (gasnet_mynode() + 1) % gasnet_nodes();
  for (round = 1; round <= ROUNDS; round++) {
    CHECK(gasnet_AMRequestShort0(to, 200) == GASNET_OK);
    CHECK(gasnet_AMRequestMedium0(to, 201, bytes, 100) == GASNET_OK);
    CHECK(gasnet_AMRequestLong0(to, 201, bytes, sizeof bytes, seg(to)) == GASNET_OK);
    compute_until(wanted += 3);
    /* A transfer ends at its initiator, and its target computes until it is told. */
    if (gasnet_nodes() > 1 && gasnet_mynode() == 0) {
      gasnet_get(bytes, 1, seg(1), sizeof bytes);
      gasnet_put(1, seg(1), bytes, sizeof bytes);
      CHECK(gasnet_AMRequestShort0(1, 203) == GASNET_OK);
    } else if (gasnet_mynode() == 1) compute_until(++wanted);
    /* Messages while the rank takes the lock itself, and calls GASNET now and then. */
    for (i = 0; i < BURST; i++) {
      CHECK(gasnet_AMRequestShort0(to, 202) == GASNET_OK);
      gasnet_hsl_lock(&lock);
      counter++, mine++;
      gasnet_hsl_unlock(&lock);
    }
    compute_until(wanted += BURST);
    if (round % 2) barrier();
  }
  barrier();
  gasnet_hsl_lock(&lock);
  locked = counter;
  gasnet_hsl_unlock(&lock);
  CHECK(locked == mine + ROUNDS * BURST);
  return check_end();
}
