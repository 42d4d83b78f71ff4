// A wider argument travels as its low 32 bits, and arrives as a signed 32-bit value.
#include "check.h"

static volatile int hits;
static void h(gasnet_token_t t, gasnet_handlerarg_t a, gasnet_handlerarg_t b, gasnet_handlerarg_t c, gasnet_handlerarg_t d) {
  (void)t;
  CHECK_EQ(a, -1);
  CHECK_EQ(b, INT32_MIN);
  CHECK_EQ(c, 0x76543210);
  CHECK_EQ(d, -2);
  hits++;
}

int main(int argc, char **argv) {
  gasnet_handlerentry_t table[] = { HANDLER(200, h) };
  uint64_t wide = 0xFFFFFFFF76543210ull;
  unsigned char byte = 0xFE;
  check_start(&argc, &argv, table, 1, 0);
  CHECK(gasnet_AMRequestShort4(next_rank(), 200, (gasnet_handlerarg_t)0xFFFFFFFFu, (gasnet_handlerarg_t)0x80000000u, (gasnet_handlerarg_t)wide, (signed char)byte) == GASNET_OK);
  GASNET_BLOCKUNTIL(hits == 1);
  return check_end();
}
