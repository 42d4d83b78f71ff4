// Long requests, LongAsync requests and Long replies of 0 bytes to several MiB are in place when the handler runs, at any alignment.
#include "check.h"

enum { HALF = 4 << 20 };
static volatile int replies;
static void request(gasnet_token_t t, void *buf, size_t n, gasnet_handlerarg_t size, gasnet_handlerarg_t off) {
  gasnet_node_t src;
  CHECK_EQ(n, size);
  if (n) CHECK(buf == seg(me) + off);
  CHECK(filled(seg(me) + off, n, (unsigned)size));
  CHECK(gasnet_AMGetMsgSource(t, &src) == GASNET_OK);
  CHECK(gasnet_AMReplyLong2(t, 201, seg(me) + off, n, seg(src) + HALF + off, size, off) == GASNET_OK);
}
static void reply(gasnet_token_t t, void *buf, size_t n, gasnet_handlerarg_t size, gasnet_handlerarg_t off) {
  (void)t;
  CHECK_EQ(n, size);
  if (n) CHECK(buf == seg(me) + HALF + off);
  CHECK(filled(seg(me) + HALF + off, n, (unsigned)size));
  replies++;
}

int main(int argc, char **argv) {
  gasnet_handlerentry_t table[] = { HANDLER(200, request), HANDLER(201, reply) };
  static const size_t sizes[] = { 0, 1, 7, 8, 9, 31, 32, 33, 63, 64, 65, 511, 512, 513, 4095, 4096, 4097, 65535, 65536, 65537, 1 << 20, (3 << 20) + 1 };
  gasnet_node_t to;
  char *mine;
  int i, async, sent = 0;
  check_start(&argc, &argv, table, 2, 2 * (uintptr_t)HALF);
  CHECK(gasnet_AMMaxLongRequest() >= 512);
  CHECK(gasnet_AMMaxLongReply() >= 512);
  mine = (char *)malloc(HALF);
  to = next_rank();
  for (i = 0; i < COUNT_OF(sizes); i++)
    for (async = 0; async < 2; async++) {
      size_t n = sizes[i], off = i == 0 ? 0 : (size_t)(i * 3 % 64);
      if (n > gasnet_AMMaxLongRequest() || n > gasnet_AMMaxLongReply()) continue;
      fill(mine + i % 3, n, (unsigned)n);
      if (async) CHECK(gasnet_AMRequestLongAsync2(to, 200, mine + i % 3, n, seg(to) + off, (gasnet_handlerarg_t)n, (gasnet_handlerarg_t)off) == GASNET_OK);
      else {
        CHECK(gasnet_AMRequestLong2(to, 200, mine + i % 3, n, seg(to) + off, (gasnet_handlerarg_t)n, (gasnet_handlerarg_t)off) == GASNET_OK);
        memset(mine + i % 3, 0xFF, n);
      }
      sent++;
      GASNET_BLOCKUNTIL(replies == sent);
    }
  return check_end();
}
