// With IMMEDIATE, gex_EP_QueryBoundSegmentNB answers for endpoints of the own process at once, in handlers too.
// ranks: 1 2 3
#include "check_ex.h"

static volatile int seen;
static void on_ask(gex_Token_t token) {
  void *owner = NULL, *local = NULL;
  uintptr_t size = 0;
  (void)token;
  CHECK(gex_EP_QueryBoundSegmentNB(world, me, &owner, &local, &size, GEX_FLAG_IMMEDIATE) == GEX_EVENT_INVALID);
  CHECK(owner == (void *)seg(me) && local == (void *)seg(me));
  CHECK_EQ(size, seg_size(me));
  CHECK(gex_EP_QueryBoundSegmentNB(gex_TM_Pair(endpoint, 0), me, &owner, NULL, NULL, GEX_FLAG_IMMEDIATE) == GEX_EVENT_INVALID);
  CHECK(owner == (void *)seg(me));
  seen++;
}

int main(int argc, char **argv) {
  gex_AM_Entry_t table[] = {CHECK_AM(200, on_ask, SHORT, REQUEST, 0)};
  check_start(&argc, &argv, table, 1, KiB(64));
  gex_AM_RequestShort0(world, next_rank(), 200, 0);
  GASNET_BLOCKUNTIL(seen == 1);
  return check_end();
}
