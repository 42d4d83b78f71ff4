// Data put and synced before a request is sent is there when the request's handler runs.
#include "check.h"

enum { N = 500 };
static volatile int acks;
static void look(gasnet_token_t t, gasnet_handlerarg_t from, gasnet_handlerarg_t i) {
  uint64_t *at = (uint64_t *)(void *)(seg(me) + 64 * from);
  int k;
  for (k = 0; k < 8; k++) CHECK_EQ(at[k], (uint64_t)i * 8 + (unsigned)k);
  CHECK(gasnet_AMReplyShort0(t, 201) == GASNET_OK);
}
static void ack(gasnet_token_t t) { (void)t; acks++; }

int main(int argc, char **argv) {
  gasnet_handlerentry_t table[] = { HANDLER(200, look), HANDLER(201, ack) };
  uint64_t v[8];
  int i, k;
  check_start(&argc, &argv, table, 2, GASNET_PAGESIZE);
  for (i = 0; i < N; i++) {
    gasnet_node_t r = (me + (gasnet_node_t)i) % nranks;
    for (k = 0; k < 8; k++) v[k] = (uint64_t)i * 8 + (unsigned)k;
    if (i % 3 == 0) gasnet_put(r, seg(r) + 64 * me, v, 64);
    else if (i % 3 == 1) gasnet_wait_syncnb(gasnet_put_nb_bulk(r, seg(r) + 64 * me, v, 64));
    else {
      for (k = 0; k < 8; k++) gasnet_put_nbi_val(r, seg(r) + 64 * me + 8 * k, v[k], 8);
      gasnet_wait_syncnbi_puts();
    }
    CHECK(gasnet_AMRequestShort2(r, 200, (gasnet_handlerarg_t)me, i) == GASNET_OK);
    GASNET_BLOCKUNTIL(acks == i + 1);
  }
  return check_end();
}
