// Tests of events and of implicit operations, complete or in flight, do not poll: a message that has arrived waits for a call
// that does.
// ranks: 1 2
#include "check_ex.h"

static int got;
static void on_note(gex_Token_t token) {
  (void)token;
  got++;
}

int main(int argc, char **argv) {
  gex_AM_Entry_t table[] = {CHECK_AM(200, on_note, SHORT, REQUEST, 0)};
  gex_Event_t none = GEX_EVENT_INVALID, put, puts[2];
  int i, before;
  check_start(&argc, &argv, table, 1, KiB(64));
  if (nranks == 2) {
    volatile char *ready = seg(0);
    if (me == 0) { /* only once the other is past its barrier */
      GASNET_BLOCKUNTIL(*ready == 1);
      gex_AM_RequestShort0(world, 1, 200, 0);
    }
    if (me == 1) {
      CHECK(!gex_RMA_PutBlockingVal(world, 0, seg(0), 1, 1, 0));
      /* Where puts are messages, these stay in flight: their replies are handled by polls. */
      put = gex_RMA_PutNBVal(world, 0, seg(0) + 8, 1, 8, 0);
      puts[0] = gex_RMA_PutNBVal(world, 0, seg(0) + 16, 1, 8, 0);
      puts[1] = gex_RMA_PutNBVal(world, 0, seg(0) + 24, 1, 8, 0);
      CHECK(!gex_RMA_PutNBIVal(world, 0, seg(0) + 32, 1, 8, 0));
      before = got; /* the puts may have polled */
      for (i = 0; i < 20; i++) {
        usleep(5000);
        CHECK(gex_Event_Test(none) == 0);
        CHECK(gex_Event_TestAll(&none, 1, 0) == 0);
        CHECK(gex_Event_TestSome(&none, 1, 0) == 0);
        if (put != GEX_EVENT_INVALID && gex_Event_Test(put) == 0) put = GEX_EVENT_INVALID;
        gex_Event_TestSome(puts, 2, 0);
        gex_Event_TestAll(puts, 2, 0);
        gex_NBI_Test(GEX_EC_ALL, 0);
        CHECK_EQ(got, before);
      }
      gex_Event_Wait(put);
      gex_Event_WaitAll(puts, 2, 0);
      gex_NBI_Wait(GEX_EC_ALL, 0);
      GASNET_BLOCKUNTIL(got == 1);
    }
  }
  return check_end();
}
