// gex_TM_Dup makes a team of the same members in the same order, whose collectives are apart from the first one's and which outlives it.
#include "check_ex.h"
#include <gasnet_coll.h>

int main(int argc, char **argv) {
  gex_TM_t back, dup;
  gex_Rank_t r;
  uint64_t a = me + 1, b = 100 * (me + 1), suma = 0, sumb = 0, sum = (uint64_t)0;
  gex_Event_t ea, eb;
  gex_Memvec_t out;
  check_start(&argc, &argv, NULL, 0, KiB(64));
  gex_TM_Split(&back, world, 0, -(int)me, NULL, 0, GEX_FLAG_TM_NO_SCRATCH);
  CHECK(gex_TM_Dup(NULL, back, NULL, 0, GEX_FLAG_TM_SCRATCH_SIZE_RECOMMENDED) > 0);
  gex_TM_Dup(&dup, back, seg(me), 4096, 0);
  CHECK(dup != back);
  CHECK_EQ(gex_TM_QuerySize(dup), nranks);
  CHECK_EQ(gex_TM_QueryRank(dup), gex_TM_QueryRank(back));
  for (r = 0; r < nranks; r++) {
    CHECK_EQ(gex_TM_TranslateRankToJobrank(dup, r), gex_TM_TranslateRankToJobrank(back, r));
    sum += r + 1;
  }
  a = me + 1, b = 100 * (me + 1);
  ea = gex_Coll_ReduceToAllNB(back, &suma, &a, GEX_DT_U64, 8, 1, GEX_OP_ADD, NULL, NULL, 0);
  eb = gex_Coll_ReduceToAllNB(dup, &sumb, &b, GEX_DT_U64, 8, 1, GEX_OP_ADD, NULL, NULL, 0);
  gex_Event_Wait(eb);
  gex_Event_Wait(ea);
  CHECK_EQ(suma, sum);
  CHECK_EQ(sumb, 100 * sum);
  gex_TM_Destroy(back, NULL, 0);
  gex_Event_Wait(gex_Coll_BarrierNB(dup, 0));
  CHECK(gex_TM_Destroy(dup, &out, 0) != 0);
  CHECK(out.gex_addr == seg(me) && out.gex_len == 4096);
  return check_end();
}
