// Members with one color make a team, ordered by key and, where keys are equal, by rank of the parent; a member may stay out.
#include "check_ex.h"

static void look_at(gex_TM_t tm, const gex_Rank_t *want, gex_Rank_t n) {
  gex_Rank_t r, j;
  CHECK_EQ(gex_TM_QuerySize(tm), n);
  for (r = 0; r < n; r++) {
    gex_EP_Location_t at = gex_TM_TranslateRankToEP(tm, r, 0);
    CHECK_EQ(gex_TM_TranslateRankToJobrank(tm, r), want[r]);
    CHECK_EQ(at.gex_rank, want[r]);
    CHECK_EQ(at.gex_ep_index, 0);
    CHECK_EQ(gex_TM_TranslateJobrankToRank(tm, want[r]), r);
    if (want[r] == me) CHECK_EQ(gex_TM_QueryRank(tm), r);
  }
  for (j = 0; j < nranks; j++) {
    for (r = 0; r < n && want[r] != j; r++) ;
    CHECK_EQ(gex_TM_TranslateJobrankToRank(tm, j), r < n ? r : GEX_RANK_INVALID);
  }
  CHECK(gex_TM_QueryClient(tm) == client && gex_TM_QueryEP(tm) == endpoint && gex_TM_QueryCData(tm) == NULL);
  gex_TM_SetCData(tm, &client);
  CHECK(gex_TM_QueryCData(tm) == &client);
  gex_Event_Wait(gex_Coll_BarrierNB(tm, 0));
}

int main(int argc, char **argv) {
  gex_Rank_t want[64], n, r;
  gex_TM_t back, part, none, same, deep;
  check_start(&argc, &argv, NULL, 0, KiB(64));
  none = world;
  gex_TM_Split(&back, world, 0, -3 * (int)me, NULL, 0, GEX_FLAG_TM_NO_SCRATCH);
  for (n = 0; n < nranks; n++) want[n] = nranks - 1 - n;
  look_at(back, want, n);
  gex_TM_Split(&same, world, INT32_MAX, 7, NULL, 0, GEX_FLAG_TM_NO_SCRATCH);
  for (n = 0; n < nranks; n++) want[n] = n;
  look_at(same, want, n);
  /* of a parent in another order, ties follow the parent */
  gex_TM_Split(&part, back, (int)me % 3, 0, NULL, 0, GEX_FLAG_TM_NO_SCRATCH);
  for (n = 0, r = nranks; r-- > 0;) if (r % 3 == me % 3) want[n++] = r;
  look_at(part, want, n);
  /* keys of both signs; those at the ends of the range */
  gex_TM_Split(&deep, part, 1, me % 2 ? INT32_MIN : INT32_MAX, NULL, 0, GEX_FLAG_TM_NO_SCRATCH);
  for (n = 0, r = nranks; r-- > 0;) if (r % 3 == me % 3 && r % 2) want[n++] = r;
  for (r = nranks; r-- > 0;) if (r % 3 == me % 3 && r % 2 == 0) want[n++] = r;
  look_at(deep, want, n);
  gex_TM_Split(me % 2 ? &none : NULL, world, 0, 0, NULL, 0, GEX_FLAG_TM_NO_SCRATCH);
  if (me % 2) {
    for (n = 0, r = 1; r < nranks; r += 2) want[n++] = r;
    look_at(none, want, n);
    gex_TM_Destroy(none, NULL, 0);
  } else CHECK(none == world);
  gex_TM_Destroy(deep, NULL, 0);
  gex_TM_Destroy(part, NULL, 0);
  gex_TM_Destroy(same, NULL, 0);
  gex_TM_Destroy(back, NULL, 0);
  return check_end();
}
