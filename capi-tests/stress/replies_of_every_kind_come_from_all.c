// Every rank asks every rank for replies of all three kinds and many sizes, with nothing between the requests but the calls themselves; every
// reply comes once, with its bytes, and Longs are at the requested address.
// ranks: 1 2 7
// time: 120
#include "check.h"

enum { ASK = 160, SHORT, MEDIUM, LONG, STORM = 6000, MOST = 3000, WINDOW = 64 };

static long shorts, mediums, longs;
static void on_ask(gasnet_token_t t, void *buf, size_t n, gasnet_handlerarg_t kind, gasnet_handlerarg_t slot, gasnet_handlerarg_t hi, gasnet_handlerarg_t lo) {
  char *at = (char *)(uintptr_t)((uint64_t)(uint32_t)hi << 32 | (uint32_t)lo);
  gasnet_node_t from;
  CHECK(gasnet_AMGetMsgSource(t, &from) == GASNET_OK && from < nranks);
  switch (kind) {
    case 0: CHECK(gasnet_AMReplyShort3(t, SHORT, slot, (gasnet_handlerarg_t)n, (gasnet_handlerarg_t)me) == GASNET_OK); break;
    case 1: CHECK(gasnet_AMReplyMedium2(t, MEDIUM, buf, n, slot, (gasnet_handlerarg_t)me) == GASNET_OK); break;
    case 2: CHECK(gasnet_AMReplyLong2(t, LONG, buf, n, at, slot, (gasnet_handlerarg_t)me) == GASNET_OK); break;
    default: break; /* no reply is fine, too */
  }
}
static void on_short(gasnet_token_t t, gasnet_handlerarg_t slot, gasnet_handlerarg_t n, gasnet_handlerarg_t who) {
  gasnet_node_t from;
  CHECK(gasnet_AMGetMsgSource(t, &from) == GASNET_OK && from == (gasnet_node_t)who);
  CHECK_EQ(n, slot % MOST);
  __atomic_add_fetch(&shorts, 1, __ATOMIC_RELAXED);
}
static void on_medium(gasnet_token_t t, void *buf, size_t n, gasnet_handlerarg_t slot, gasnet_handlerarg_t who) {
  (void)t, (void)who;
  CHECK_EQ(n, slot % MOST);
  CHECK(filled(buf, n, (unsigned)slot));
  __atomic_add_fetch(&mediums, 1, __ATOMIC_RELAXED);
}
static void on_long(gasnet_token_t t, void *buf, size_t n, gasnet_handlerarg_t slot, gasnet_handlerarg_t who) {
  (void)t, (void)who;
  CHECK(n == 0 || (char *)buf == seg(me) + (slot % WINDOW) * 4096);
  CHECK_EQ(n, slot % MOST);
  __atomic_add_fetch(&longs, 1, __ATOMIC_RELAXED);
}

int main(int argc, char **argv) {
  gasnet_handlerentry_t table[] = { HANDLER(ASK, on_ask), HANDLER(SHORT, on_short), HANDLER(MEDIUM, on_medium), HANDLER(LONG, on_long) };
  char bytes[MOST];
  long want[4] = { 0, 0, 0, 0 };
  int i;
  check_start(&argc, &argv, table, 4, WINDOW * 4096);
  for (i = 0; i < STORM; i++) {
    int kind = i % 4, n = i % MOST;
    char *at = seg(me) + (i % WINDOW) * 4096;
    fill(bytes, (size_t)n, (unsigned)i);
    CHECK(gasnet_AMRequestMedium4((me + (unsigned)i / 4) % nranks, ASK, bytes, (size_t)n, kind, i, (gasnet_handlerarg_t)((uint64_t)(uintptr_t)at >> 32),
                                  (gasnet_handlerarg_t)(uintptr_t)at) == GASNET_OK);
    want[kind]++;
  }
  GASNET_BLOCKUNTIL(__atomic_load_n(&shorts, __ATOMIC_RELAXED) == want[0] && __atomic_load_n(&mediums, __ATOMIC_RELAXED) == want[1] &&
                    __atomic_load_n(&longs, __ATOMIC_RELAXED) == want[2]);
  return check_end();
}
