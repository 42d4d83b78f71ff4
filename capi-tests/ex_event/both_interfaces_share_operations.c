// Events are handles: operations started by one interface may be synchronised by the other, and access regions are the same.
#include <gasnet.h>
#include "check_ex.h"

int main(int argc, char **argv) {
  static char src[9000], dst[9000];
  gex_Rank_t r;
  int i;
  check_init(&argc, &argv, GEX_FLAG_USES_GASNET1);
  check_attach(NULL, 0, MiB(1));
  r = next_rank();
  for (i = 0; i < 50; i++) {
    gasnet_handle_t old;
    gex_Event_t now;
    fill(src, sizeof src, (unsigned)i);
    old = gex_RMA_PutNB(world, r, seg(r), src, sizeof src, GEX_EVENT_DEFER, 0);
    gasnet_wait_syncnb(old);
    now = gasnet_get_nb_bulk(dst, r, seg(r), sizeof dst);
    gex_Event_Wait(now);
    CHECK(filled(dst, sizeof dst, (unsigned)i));
    gasnet_begin_nbi_accessregion();
    gasnet_put_nbi_bulk(r, seg(r) + KiB(32), src, sizeof src);
    CHECK(!gex_RMA_PutNBI(world, r, seg(r) + KiB(64), src, sizeof src, GEX_EVENT_DEFER, 0));
    now = gex_NBI_EndAccessRegion(0);
    gex_Event_Wait(now);
    memset(dst, 0, sizeof dst);
    gasnet_get_nbi_bulk(dst, r, seg(r) + KiB(64), sizeof dst);
    gex_NBI_Wait(GEX_EC_GET, 0);
    CHECK(filled(dst, sizeof dst, (unsigned)i));
    CHECK(!gex_RMA_GetNBI(world, dst, r, seg(r) + KiB(32), sizeof dst, 0));
    gasnet_wait_syncnbi_gets();
    CHECK(filled(dst, sizeof dst, (unsigned)i));
  }
  return check_end();
}
