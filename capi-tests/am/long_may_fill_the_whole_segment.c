// A Long of a whole 64 MiB segment (or the maximum, if smaller) arrives; the limit is at least 64 KiB for Medium too.
// ranks: 1 2
#include "check.h"

static volatile int hits;
static size_t n;
static void whole(gasnet_token_t t, void *buf, size_t got) {
  (void)t;
  CHECK_EQ(got, n);
  CHECK(buf == seg(me));
  CHECK(all_bytes(buf, got, 0x3C));
  hits++;
}

int main(int argc, char **argv) {
  gasnet_handlerentry_t table[] = { HANDLER(250, whole) };
  char *src;
  check_start(&argc, &argv, table, 1, MiB(64));
  CHECK(gasnet_AMMaxMedium() >= KiB(64) - 512);
  n = gasnet_AMMaxLongRequest() < MiB(64) ? gasnet_AMMaxLongRequest() : MiB(64);
  src = (char *)malloc(n);
  memset(src, 0x3C, n);
  barrier(); /* the handler looks at n */
  CHECK(gasnet_AMRequestLong0(next_rank(), 250, src, n, seg(next_rank())) == GASNET_OK);
  GASNET_BLOCKUNTIL(hits == 1);
  return check_end();
}
