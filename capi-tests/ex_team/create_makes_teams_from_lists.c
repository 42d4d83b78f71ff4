// Teams of Create have the members listed, in that order; lists may be of ranks of the parent or of the job; a caller without a list only takes part; scratch memory is local, global or symmetric.
#include "check_ex.h"
#include <gasnet_coll.h>

int main(int argc, char **argv) {
  gex_EP_Location_t list[64];
  gex_Addr_t at[64];
  gex_TM_t back, tm;
  gex_Memvec_t out;
  gex_Rank_t r, n;
  size_t want;
  int kind;
  check_start(&argc, &argv, NULL, 0, MiB(8));
  memset(list, 0, sizeof list);
  gex_TM_Split(&back, world, 0, -(int)me, NULL, 0, GEX_FLAG_TM_NO_SCRATCH);
  for (kind = 0; kind < 4; kind++) {
    static const gex_Flags_t flags[] = { GEX_FLAG_TM_LOCAL_SCRATCH, GEX_FLAG_TM_GLOBAL_SCRATCH,
                                         GEX_FLAG_TM_NO_SCRATCH, GEX_FLAG_TM_LOCAL_SCRATCH | GEX_FLAG_RANK_IS_JOBRANK };
    int jobranks = kind == 3, odd = me % 2;
    /* odd ranks in falling order; of the even ones, those with a rank of 2 or more */
    for (n = 0, r = nranks; r-- > 0;)
      if (odd ? r % 2 : r % 2 == 0 && r >= 2) list[n++].gex_rank = jobranks ? r : nranks - 1 - r;
    if (!odd && me < 2) n = 0;
    want = gex_TM_Create(NULL, n != 0, back, list, n, NULL, 0, GEX_FLAG_TM_SCRATCH_SIZE_RECOMMENDED);
    CHECK((want != 0) == (n != 0));
    for (r = 0; r < n; r++) {
      gex_Rank_t whose = jobranks ? list[r].gex_rank : nranks - 1 - list[r].gex_rank;
      at[flags[kind] & GEX_FLAG_TM_LOCAL_SCRATCH ? 0 : r] = seg(flags[kind] & GEX_FLAG_TM_LOCAL_SCRATCH ? me : whose) + 4096;
    }
    tm = world;
    gex_TM_Create(&tm, n != 0, back, list, n, at, want, flags[kind]);
    if (!n) { CHECK(tm == world); continue; }
    CHECK(tm != world);
    CHECK_EQ(gex_TM_QuerySize(tm), n);
    for (r = 0; r < n; r++) CHECK_EQ(gex_TM_TranslateRankToJobrank(tm, r), jobranks ? list[r].gex_rank : nranks - 1 - list[r].gex_rank);
    CHECK_EQ(gex_TM_TranslateRankToJobrank(tm, gex_TM_QueryRank(tm)), me);
    if (kind != 2) {
      uint32_t one = 1, sum = 0;
      gex_Event_Wait(gex_Coll_ReduceToAllNB(tm, &sum, &one, GEX_DT_U32, 4, 1, GEX_OP_ADD, NULL, NULL, 0));
      CHECK_EQ(sum, n);
    }
    CHECK_EQ(gex_TM_Destroy(tm, &out, 0) != 0, kind != 2);
    if (kind != 2) CHECK(out.gex_addr == seg(me) + 4096 && out.gex_len == want);
  }
  gex_TM_Destroy(back, NULL, 0);
  return check_end();
}
