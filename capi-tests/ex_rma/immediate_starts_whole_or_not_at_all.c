// With GEX_FLAG_IMMEDIATE a put or get that was not started has no effect, and one that was started completes.
#include "check_ex.h"

enum { N = 3000, EACH = 256 };

int main(int argc, char **argv) {
  static unsigned char src[N][EACH], dst[N][EACH];
  static gex_Event_t ev[N];
  int i, tries;
  gex_Rank_t r;
  check_start(&argc, &argv, NULL, 0, MiB(2));
  r = next_rank();
  for (i = 0; i < N; i++) fill(src[i], EACH, (unsigned)i + me);
  for (i = 0; i < N; i++) {
    char *at = seg(r) + i * EACH;
    for (tries = 0;; tries++) {
      gex_Flags_t flags = tries < 20 ? GEX_FLAG_IMMEDIATE : 0;
      int none = 0;
      switch (i % 4) {
        case 0: ev[i] = gex_RMA_PutNB(world, r, at, src[i], EACH, GEX_EVENT_DEFER, flags); none = ev[i] == GEX_EVENT_NO_OP; break;
        case 1: none = gex_RMA_PutNBI(world, r, at, src[i], EACH, GEX_EVENT_GROUP, flags); break;
        case 2: none = gex_RMA_PutBlocking(world, r, at, src[i], EACH, flags); break;
        default: ev[i] = gex_RMA_PutNB(world, r, at, src[i], EACH, GEX_EVENT_NOW, flags); none = ev[i] == GEX_EVENT_NO_OP; break;
      }
      if (!none) break;
      CHECK(tries < 20);
      gasnet_AMPoll();
    }
  }
  gex_Event_WaitAll(ev, N, 0);
  gex_NBI_Wait(GEX_EC_ALL, 0);
  for (i = 0; i < N; i++) {
    char *at = seg(r) + i * EACH;
    for (tries = 0;; tries++) {
      gex_Flags_t flags = tries < 20 ? GEX_FLAG_IMMEDIATE : 0;
      int none = 0;
      switch (i % 3) {
        case 0: ev[i] = gex_RMA_GetNB(world, dst[i], r, at, EACH, flags); none = ev[i] == GEX_EVENT_NO_OP; break;
        case 1: none = gex_RMA_GetNBI(world, dst[i], r, at, EACH, flags); break;
        default: none = gex_RMA_GetBlocking(world, dst[i], r, at, EACH, flags); break;
      }
      if (!none) break;
      CHECK(tries < 20);
      gasnet_AMPoll();
    }
  }
  for (i = 0; i < N; i++)
    if (i % 3) ev[i] = GEX_EVENT_INVALID;
  gex_Event_WaitAll(ev, N, 0);
  gex_NBI_Wait(GEX_EC_GET, 0);
  for (i = 0; i < N; i++) CHECK(filled(dst[i], EACH, (unsigned)i + me));
  for (i = 0; i < 8; i++) {
    CHECK(!gex_RMA_PutBlockingVal(world, me, seg(me) + MiB(1), (gex_RMA_Value_t)i, 8, GEX_FLAG_IMMEDIATE));
    CHECK(gex_RMA_PutNBVal(world, me, seg(me) + MiB(1), (gex_RMA_Value_t)i, 8, GEX_FLAG_IMMEDIATE) != GEX_EVENT_NO_OP);
  }
  return check_end();
}
