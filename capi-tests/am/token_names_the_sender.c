// gasnet_AMGetMsgSource gives the sender in request and reply handlers of every category.
#include "check.h"

static volatile int requests, replies;
static gasnet_node_t source(gasnet_token_t t) {
  gasnet_node_t s = 12345;
  CHECK(gasnet_AMGetMsgSource(t, &s) == GASNET_OK);
  return s;
}
static void s_req(gasnet_token_t t, gasnet_handlerarg_t from) { CHECK_EQ(source(t), from); requests++; gasnet_AMReplyShort1(t, 203, (gasnet_handlerarg_t)me); }
static void m_req(gasnet_token_t t, void *b, size_t n, gasnet_handlerarg_t from) { (void)b; CHECK_EQ(source(t), from); requests++; gasnet_AMReplyMedium1(t, 204, &me, sizeof me * (n > 0), (gasnet_handlerarg_t)me); }
static void l_req(gasnet_token_t t, void *b, size_t n, gasnet_handlerarg_t from) {
  (void)b, (void)n;
  CHECK_EQ(source(t), from);
  requests++;
  gasnet_AMReplyLong1(t, 205, &me, sizeof me, seg((gasnet_node_t)from) + 64, (gasnet_handlerarg_t)me);
}
static void s_rep(gasnet_token_t t, gasnet_handlerarg_t from) { CHECK_EQ(source(t), from); replies++; }
static void ml_rep(gasnet_token_t t, void *b, size_t n, gasnet_handlerarg_t from) { (void)b, (void)n; CHECK_EQ(source(t), from); replies++; }

int main(int argc, char **argv) {
  gasnet_handlerentry_t table[] = { HANDLER(200, s_req), HANDLER(201, m_req), HANDLER(202, l_req), HANDLER(203, s_rep), HANDLER(204, ml_rep), HANDLER(205, ml_rep) };
  gasnet_node_t r;
  check_start(&argc, &argv, table, COUNT_OF(table), GASNET_PAGESIZE);
  for (r = 0; r < nranks; r++) {
    gasnet_AMRequestShort1(r, 200, (gasnet_handlerarg_t)me);
    gasnet_AMRequestMedium1(r, 201, &me, sizeof me, (gasnet_handlerarg_t)me);
    gasnet_AMRequestLong1(r, 202, &me, sizeof me, seg(r), (gasnet_handlerarg_t)me);
  }
  GASNET_BLOCKUNTIL(replies == 3 * (int)nranks && requests == 3 * (int)nranks);
  return check_end();
}
