// Operations in an access region belong to its event, whose leaves represent categories; NBI syncs outside do not include them.
#include "check_ex.h"

enum { N = 60, EACH = 5000 };

int main(int argc, char **argv) {
  static char src[N][EACH], dst[N][EACH];
  gex_Rank_t r;
  int round, i;
  check_start(&argc, &argv, NULL, 0, MiB(1));
  r = next_rank();
  for (round = 0; round < 30; round++) {
    gex_Event_t region, other, both[3];
    for (i = 0; i < N; i++) fill(src[i], EACH, (unsigned)(i + round));
    gex_NBI_BeginAccessRegion(0);
    for (i = 0; i < N; i++)
      CHECK(!gex_RMA_PutNBI(world, r, seg(r) + i * EACH, src[i], EACH, i % 2 ? GEX_EVENT_GROUP : GEX_EVENT_DEFER, 0));
    other = gex_RMA_PutNB(world, r, seg(r) + KiB(600), src[3], EACH, GEX_EVENT_DEFER, 0);
    gex_Event_Wait(other); /* explicit ones inside keep their own */
    region = gex_NBI_EndAccessRegion(0);
    CHECK(gex_NBI_Test(GEX_EC_ALL, 0) == 0); /* nothing of the region */
    gex_Event_Wait(region);
    gex_NBI_BeginAccessRegion(0);
    for (i = 0; i < N; i += 2) CHECK(!gex_RMA_GetNBI(world, dst[i], r, seg(r) + i * EACH, EACH, 0));
    region = gex_NBI_EndAccessRegion(0);
    gex_NBI_BeginAccessRegion(0);
    for (i = 1; i < N; i += 2) CHECK(!gex_RMA_GetNBI(world, dst[i], r, seg(r) + i * EACH, EACH, 0));
    CHECK(!gex_RMA_PutNBIVal(world, r, seg(r) + KiB(700), (gex_RMA_Value_t)round, 1, 0));
    other = gex_NBI_EndAccessRegion(0);
    both[0] = other, both[1] = GEX_EVENT_INVALID, both[2] = region;
    gex_Event_WaitAll(both, 3, 0);
    for (i = 0; i < N; i++) CHECK(filled(dst[i], EACH, (unsigned)(i + round)));
    CHECK_EQ(gex_RMA_GetBlockingVal(world, r, seg(r) + KiB(700), 1, 0), round);
  }
  return check_end();
}
