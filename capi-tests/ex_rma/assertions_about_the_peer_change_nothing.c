// True assertions in flags (PEER_NEVER_*, *_SEG_BOUND) do not change the effect of a put or get.
#include "check_ex.h"

#if GEX_FLAG_PEER_NEVER_SELF == GEX_FLAG_PEER_NEVER_NBRHD
#define NEVER_SELF_IS_NEVER_NBRHD 1
#endif

int main(int argc, char **argv) {
  gex_RankInfo_t *near;
  gex_Rank_t nnear, i, r;
  int is_near = 0, round;
  gex_Flags_t flags = GEX_FLAG_PEER_SEG_BOUND | GEX_FLAG_SELF_SEG_BOUND;
  check_start(&argc, &argv, NULL, 0, MiB(1));
  r = next_rank();
  gex_System_QueryNbrhdInfo(&near, &nnear, NULL);
  for (i = 0; i < nnear; i++) is_near |= near[i].gex_jobrank == r;
#ifndef NEVER_SELF_IS_NEVER_NBRHD
  if (r != me) flags |= GEX_FLAG_PEER_NEVER_SELF;
#endif
  if (!is_near) flags |= GEX_FLAG_PEER_NEVER_NBRHD;
  for (round = 0; round < 20; round++) {
    size_t n = (size_t)1 << round;
    char *from = seg(me) + KiB(512), *there = seg(r);
    if (n > KiB(128)) n = KiB(128) - 3;
    fill(from, n, (unsigned)round + me);
    gex_Event_Wait(gex_RMA_PutNB(world, r, there, from, n, GEX_EVENT_DEFER, flags));
    memset(from, 0, n);
    if (!is_near) {
      CHECK(!gex_RMA_GetBlocking(world, from, r, there, n, GEX_FLAG_PEER_NEVER_NBRHD));
      CHECK(filled(from, n, (unsigned)round + me));
      memset(from, 0, n);
    }
    CHECK(!gex_RMA_GetBlocking(world, from, r, there, n, flags));
    CHECK(filled(from, n, (unsigned)round + me));
  }
  return check_end();
}
