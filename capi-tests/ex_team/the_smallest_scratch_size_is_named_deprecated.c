// GEX_FLAG_TM_SCRATCH_SIZE_MIN gives a size that suffices, and its first use a warning.
// expect: stderr /gex_TM_Split: GEX_FLAG_TM_SCRATCH_SIZE_MIN is deprecated. use GEX_FLAG_TM_SCRATCH_SIZE_RECOMMENDED/
// ranks: 1 2
#include "check_ex.h"

int main(int argc, char **argv) {
  gex_TM_t tm, mine = GEX_TM_INVALID;
  size_t least;
  check_start(&argc, &argv, NULL, 0, MiB(8));
  least = gex_TM_Split(&tm, world, 0, 0, NULL, 0, GEX_FLAG_TM_SCRATCH_SIZE_MIN);
  CHECK(least > 0 && least <= gex_TM_Split(&tm, world, 0, 0, NULL, 0, GEX_FLAG_TM_SCRATCH_SIZE_RECOMMENDED));
  gex_TM_Split(&mine, world, 0, (int)me, seg(me), least, 0);
  gex_Event_Wait(gex_Coll_BarrierNB(mine, 0));
  gex_TM_Destroy(mine, NULL, 0);
  barrier();
  return check_end();
}
