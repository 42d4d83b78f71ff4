// Medium requests and replies of 0 to AMMaxMedium bytes arrive whole, from inside and outside of the segment.
#include "check.h"

static volatile int replies;
static size_t want;
static unsigned char *expect;  /* what each message holds */

static void request(gasnet_token_t t, void *buf, size_t n, gasnet_handlerarg_t size) {
  CHECK_EQ(n, size);
  CHECK(filled(buf, n, (unsigned)size));
  CHECK(gasnet_AMReplyMedium1(t, 201, buf, n, size) == GASNET_OK);
}
static void reply(gasnet_token_t t, void *buf, size_t n, gasnet_handlerarg_t size) {
  (void)t;
  CHECK_EQ(n, want);
  CHECK_EQ(n, size);
  CHECK(filled(buf, n, (unsigned)size));
  replies++;
}

int main(int argc, char **argv) {
  gasnet_handlerentry_t table[] = { HANDLER(200, request), HANDLER(201, reply) };
  static const size_t around[] = { 0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 23, 24, 31, 32, 33, 40, 47, 48, 49, 55, 56, 57, 63, 64, 65, 100, 127, 128, 129, 255, 256, 511, 512, 513,
                                   1000, 1023, 1024, 1025, 2048, 4000, 4095, 4096, 4097, 8192, 10000, 16384, 32767, 32768, 40000, 65000, 65536 };
  size_t max, i;
  int sent = 0;
  check_start(&argc, &argv, table, 2, MiB(1));
  max = gasnet_AMMaxMedium();
  CHECK(max >= 512);
  expect = (unsigned char *)malloc(max + 16);
  for (i = 0; i <= COUNT_OF(around) + 1; i++) {
    size_t n = i < (size_t)COUNT_OF(around) ? around[i] : i == (size_t)COUNT_OF(around) ? max - 1 : max;
    char *from = i % 2 ? seg(me) + i % 8 : (char *)expect + i % 5;
    if (n > max) continue;
    want = n;
    fill(from, n, (unsigned)n);
    CHECK(gasnet_AMRequestMedium1(next_rank(), 200, n ? from : NULL, n, (gasnet_handlerarg_t)n) == GASNET_OK);
    memset(from, 0xFF, n); /* the source is free on return */
    sent++;
    GASNET_BLOCKUNTIL(replies == sent);
  }
  return check_end();
}
