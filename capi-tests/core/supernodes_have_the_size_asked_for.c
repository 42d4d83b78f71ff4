// GASNET_SUPERNODE_MAXSIZE parts the ranks of a host into supernodes; put, get, messages and barriers cross them.
// ranks: 1 2 3 4 7
// env: GASNET_CONDUIT=loopback GASNET_SUPERNODE_MAXSIZE=2
#include "check.h"

static volatile int hits;
static void on_ping(gasnet_token_t t, void *buf, size_t n, gasnet_handlerarg_t from) {
  gasnet_node_t source;
  CHECK(gasnet_AMGetMsgSource(t, &source) == GASNET_OK);
  CHECK_EQ(source, from);
  CHECK(n == 1000 && filled(buf, n, source));
  CHECK(gasnet_AMReplyShort1(t, 201, (gasnet_handlerarg_t)me) == GASNET_OK);
}
static void on_pong(gasnet_token_t t, gasnet_handlerarg_t from) {
  gasnet_node_t source;
  CHECK(gasnet_AMGetMsgSource(t, &source) == GASNET_OK);
  CHECK_EQ(source, from);
  __atomic_add_fetch(&hits, 1, __ATOMIC_RELAXED);
}

int main(int argc, char **argv) {
  gasnet_handlerentry_t table[] = { HANDLER(200, on_ping), HANDLER(201, on_pong) };
  gasnet_nodeinfo_t info[16];
  char bytes[1000];
  gasnet_node_t i;
  check_start(&argc, &argv, table, 2, 16 * GASNET_PAGESIZE);
  CHECK(gasnet_getNodeInfo(info, (int)nranks) == GASNET_OK);
  fill(bytes, sizeof bytes, me);
  for (i = 0; i < nranks; i++) {
    CHECK_EQ(info[i].host, 0);
    CHECK_EQ(info[i].supernode, i / 2);
    CHECK(gasnet_AMRequestMedium1(i, 200, bytes, sizeof bytes, (gasnet_handlerarg_t)me) == GASNET_OK);
    gasnet_put_nbi(i, seg(i) + 1000 * me, bytes, sizeof bytes);
  }
  gasnet_wait_syncnbi_puts();
  GASNET_BLOCKUNTIL(hits == (int)nranks);
  barrier();
  for (i = 0; i < nranks; i++) {
    CHECK(filled(seg(me) + 1000 * i, sizeof bytes, i));
    gasnet_get(bytes, i, seg(i) + 1000 * me, sizeof bytes);
    CHECK(filled(bytes, sizeof bytes, me));
  }
  barrier();
  if (me % 2 == 1) {
    /* Shared memory, of a rank that is no leader. */
    info[0] = info[me - 1];
    (seg(me - 1) + info[0].offset)[16 * GASNET_PAGESIZE - 1] = 77;
  }
  barrier();
  if (me % 2 == 0 && me + 1 < nranks) CHECK_EQ(seg(me)[16 * GASNET_PAGESIZE - 1], 77);
  /* A name that only the last rank disagrees with is heard everywhere. */
  gasnet_barrier_notify(me == nranks - 1 && nranks > 1 ? 8 : 7, 0);
  CHECK_EQ(gasnet_barrier_wait(me == nranks - 1 && nranks > 1 ? 8 : 7, 0),
           nranks > 1 ? GASNET_ERR_BARRIER_MISMATCH : GASNET_OK);
  return check_end();
}
