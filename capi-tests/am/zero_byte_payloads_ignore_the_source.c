// A Medium or Long of no bytes arrives with its arguments, for any source and destination address, even at a rank without a segment; so does such a reply.
#include "check.h"

#define NOWHERE ((void *)(uintptr_t)8)
static int requests, replies;
static void request(gasnet_token_t t, void *buf, size_t n, gasnet_handlerarg_t a, gasnet_handlerarg_t b) {
  (void)buf;
  CHECK_EQ(n, 0);
  CHECK(a == 7 && b == -9);
  __atomic_add_fetch(&requests, 1, __ATOMIC_RELAXED);
  CHECK(gasnet_AMReplyMedium1(t, 201, NULL, 0, 1) == GASNET_OK);
}
static void long_request(gasnet_token_t t, void *buf, size_t n, gasnet_handlerarg_t a, gasnet_handlerarg_t b) {
  (void)buf;
  CHECK_EQ(n, 0);
  CHECK(a == 7 && b == -9);
  __atomic_add_fetch(&requests, 1, __ATOMIC_RELAXED);
  CHECK(gasnet_AMReplyLong1(t, 201, NOWHERE, 0, NULL, 1) == GASNET_OK);
}
static void reply(gasnet_token_t t, void *buf, size_t n, gasnet_handlerarg_t a) {
  (void)t, (void)buf;
  CHECK_EQ(n, 0);
  CHECK_EQ(a, 1);
  __atomic_add_fetch(&replies, 1, __ATOMIC_RELAXED);
}

int main(int argc, char **argv) {
  gasnet_handlerentry_t table[] = { HANDLER(200, request), HANDLER(201, reply), HANDLER(202, long_request) };
  gasnet_node_t r;
  check_start(&argc, &argv, table, 3, 0);
  for (r = 0; r < nranks; r++) {
    CHECK(gasnet_AMRequestMedium2(r, 200, NULL, 0, 7, -9) == GASNET_OK);
    CHECK(gasnet_AMRequestMedium2(r, 200, NOWHERE, 0, 7, -9) == GASNET_OK);
    CHECK(gasnet_AMRequestLong2(r, 202, NULL, 0, NULL, 7, -9) == GASNET_OK);
    CHECK(gasnet_AMRequestLongAsync2(r, 202, NOWHERE, 0, NULL, 7, -9) == GASNET_OK);
  }
  GASNET_BLOCKUNTIL(__atomic_load_n(&replies, __ATOMIC_RELAXED) == 4 * (int)nranks &&
                    __atomic_load_n(&requests, __ATOMIC_RELAXED) == 4 * (int)nranks);
  return check_end();
}
