// A rank's messages to itself run its handlers, replies included, in every category, and nest no deeper than a reply.
// ranks: 1 2
#include "check.h"

static volatile int in_request, requests, replies;
static void req(gasnet_token_t t, gasnet_handlerarg_t i) {
  CHECK(in_request == 0);
  in_request = 1;
  CHECK(gasnet_AMReplyShort1(t, 203, i + 1) == GASNET_OK);
  in_request = 0;
  requests++;
}
static void mreq(gasnet_token_t t, void *b, size_t n, gasnet_handlerarg_t i) {
  CHECK(filled(b, n, (unsigned)i));
  requests++;
  CHECK(gasnet_AMReplyMedium1(t, 204, b, n, i) == GASNET_OK);
}
static void rep(gasnet_token_t t, gasnet_handlerarg_t i) { (void)t, (void)i; replies++; }
static void mrep(gasnet_token_t t, void *b, size_t n, gasnet_handlerarg_t i) { (void)t; CHECK(filled(b, n, (unsigned)i)); replies++; }

int main(int argc, char **argv) {
  gasnet_handlerentry_t table[] = { HANDLER(200, req), HANDLER(201, mreq), HANDLER(203, rep), HANDLER(204, mrep) };
  char bytes[5000];
  int i;
  check_start(&argc, &argv, table, COUNT_OF(table), KiB(64));
  for (i = 0; i < 1000; i++) {
    fill(bytes, sizeof bytes, (unsigned)i);
    CHECK(gasnet_AMRequestShort1(me, 200, i) == GASNET_OK);
    CHECK(gasnet_AMRequestMedium1(me, 201, bytes, (size_t)(i * 5), i) == GASNET_OK);
    CHECK(gasnet_AMRequestLong1(me, 201, bytes, sizeof bytes, seg(me) + i, i) == GASNET_OK);
    GASNET_BLOCKUNTIL(replies == 3 * (i + 1));
  }
  CHECK_EQ(requests, 3000);
  return check_end();
}
