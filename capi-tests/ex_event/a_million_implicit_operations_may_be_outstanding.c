// A million implicit operations, and a hundred thousand explicit ones, are outstanding at once.
// time: 120
// ranks: 1 2
#include "check_ex.h"

enum { IMPLICIT = 1000000, EXPLICIT = 100000 };
static gex_Event_t ev[EXPLICIT];

int main(int argc, char **argv) {
  static uint32_t dst[EXPLICIT];
  gex_Rank_t r;
  int i;
  check_start(&argc, &argv, NULL, 0, MiB(4));
  r = next_rank();
  for (i = 0; i < IMPLICIT; i++) CHECK(!gex_RMA_PutNBIVal(world, r, seg(r) + 4 * i, (gex_RMA_Value_t)i, 4, 0));
  gex_NBI_Wait(GEX_EC_PUT, 0);
  for (i = 0; i < EXPLICIT; i++) ev[i] = gex_RMA_GetNB(world, &dst[i], r, seg(r) + 4 * 10 * i, 4, 0);
  gex_Event_WaitAll(ev, EXPLICIT, 0);
  for (i = 0; i < EXPLICIT; i++) CHECK_EQ(dst[i], 10 * i);
  return check_end();
}
