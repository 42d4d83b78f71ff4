// The variadic form with an explicit argument count sends the same as the numbered one, in each category.
#include "check.h"

static volatile int requests, replies;
static char bytes[40];
static void s_req(gasnet_token_t t, gasnet_handlerarg_t a, gasnet_handlerarg_t b) { CHECK_EQ(a, 1); CHECK_EQ(b, -2); requests++; CHECK(gasnet_AMReplyShort(t, 203, 1, 77) == GASNET_OK); }
static void m_req(gasnet_token_t t, void *p, size_t n, gasnet_handlerarg_t a) { CHECK_EQ(a, 5); CHECK(filled(p, n, 1)); requests++; CHECK(gasnet_AMReplyMedium(t, 204, bytes, sizeof bytes, 2, 7, 8) == GASNET_OK); }
static void l_req(gasnet_token_t t, void *p, size_t n) {
  gasnet_node_t s;
  CHECK(filled(p, n, 1));
  requests++;
  gasnet_AMGetMsgSource(t, &s);
  CHECK(gasnet_AMReplyLong(t, 204, bytes, sizeof bytes, seg(s) + 256, 2, 7, 8) == GASNET_OK);
}
static void s_rep(gasnet_token_t t, gasnet_handlerarg_t a) { (void)t; CHECK_EQ(a, 77); replies++; }
static void ml_rep(gasnet_token_t t, void *p, size_t n, gasnet_handlerarg_t a, gasnet_handlerarg_t b) { (void)t; CHECK(filled(p, n, 1)); CHECK_EQ(a, 7); CHECK_EQ(b, 8); replies++; }

int main(int argc, char **argv) {
  gasnet_handlerentry_t table[] = { HANDLER(200, s_req), HANDLER(201, m_req), HANDLER(202, l_req), HANDLER(203, s_rep), HANDLER(204, ml_rep) };
  fill(bytes, sizeof bytes, 1);
  check_start(&argc, &argv, table, COUNT_OF(table), GASNET_PAGESIZE);
  CHECK(gasnet_AMRequestShort(next_rank(), 200, 2, 1, -2) == GASNET_OK);
  CHECK(gasnet_AMRequestMedium(next_rank(), 201, bytes, sizeof bytes, 1, 5) == GASNET_OK);
  CHECK(gasnet_AMRequestLong(next_rank(), 202, bytes, sizeof bytes, seg(next_rank()), 0) == GASNET_OK);
  CHECK(gasnet_AMRequestLongAsync(next_rank(), 202, bytes, sizeof bytes, seg(next_rank()) + 128, 0) == GASNET_OK);
  GASNET_BLOCKUNTIL(requests == 4 && replies == 4);
  return check_end();
}
