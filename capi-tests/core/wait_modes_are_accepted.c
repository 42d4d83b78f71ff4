// gasnet_set_waitmode takes the three modes, refuses others, and every mode still delivers.
// expect: exit 0; chatter
#include "check.h"

static int hits;
static void hit(gasnet_token_t t) { (void)t; hits++; }

int main(int argc, char **argv) {
  static const int modes[] = { GASNET_WAIT_SPIN, GASNET_WAIT_BLOCK, GASNET_WAIT_SPINBLOCK };
  gasnet_handlerentry_t table[] = { HANDLER(222, hit) };
  int i, k;
  check_start(&argc, &argv, table, 1, GASNET_PAGESIZE);
  CHECK_EQ(GASNET_WAIT_SPIN, 0);
  CHECK_EQ(GASNET_WAIT_BLOCK, 1);
  CHECK_EQ(GASNET_WAIT_SPINBLOCK, 2);
  for (i = 0; i < 3; i++) {
    CHECK(gasnet_set_waitmode(modes[i]) == GASNET_OK);
    for (k = 0; k < 5; k++) {
      CHECK(gasnet_AMRequestShort0(next_rank(), 222) == GASNET_OK);
      GASNET_BLOCKUNTIL(hits >= i * 5 + k + 1);
    }
    barrier();
  }
  CHECK(gasnet_set_waitmode(77) != GASNET_OK);
  return check_end();
}
