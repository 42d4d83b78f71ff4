// Destroy writes where the client's scratch memory is and returns non-zero; without scratch memory, or without a place for the answer, it returns 0 and writes nothing.
#include "check_ex.h"

int main(int argc, char **argv) {
  gex_TM_t tm, mine = GEX_TM_INVALID;
  gex_Memvec_t out;
  size_t want;
  check_start(&argc, &argv, NULL, 0, MiB(8));
  want = gex_TM_Split(&tm, world, 0, 0, NULL, 0, GEX_FLAG_TM_SCRATCH_SIZE_RECOMMENDED);
  CHECK(want > 0 && want <= MiB(4));
  CHECK_EQ(gex_TM_Split(NULL, world, 0, 0, NULL, 0, GEX_FLAG_TM_SCRATCH_SIZE_RECOMMENDED), 0);
  gex_TM_Split(&mine, world, (int)me % 2, (int)me, seg(me) + 4096, want, 0);
  gex_Event_Wait(gex_Coll_BarrierNB(mine, 0));
  memset(&out, 0, sizeof out);
  CHECK(gex_TM_Destroy(mine, &out, 0) != 0);
  CHECK(out.gex_addr == seg(me) + 4096 && out.gex_len == want);
  gex_TM_Split(&mine, world, 0, 0, seg(me), want, 0);
  CHECK_EQ(gex_TM_Destroy(mine, NULL, 0), 0);
  gex_TM_Split(&mine, world, 0, 0, NULL, 0, GEX_FLAG_TM_NO_SCRATCH);
  out.gex_addr = &tm, out.gex_len = 5;
  CHECK_EQ(gex_TM_Destroy(mine, &out, 0), 0);
  CHECK(out.gex_addr == &tm && out.gex_len == 5);
  barrier();
  return check_end();
}
