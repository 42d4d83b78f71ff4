// Neighbourhoods are subsets of hosts, are sorted by rank, contain the calling rank at the returned index, and are numbered equally on all ranks.
// ranks: 1 2 3 4 7
#include "check_ex.h"

static void sorted_with_me(const gex_RankInfo_t *info, gex_Rank_t count, gex_Rank_t mine) {
  gex_Rank_t i;
  MUST(count >= 1 && count <= nranks && mine < count);
  CHECK_EQ(info[mine].gex_jobrank, me);
  for (i = 1; i < count; i++) CHECK(info[i - 1].gex_jobrank < info[i].gex_jobrank);
  CHECK(info[count - 1].gex_jobrank < nranks);
}

int main(int argc, char **argv) {
  gex_RankInfo_t *nbrhd, *host, *again;
  gex_Rank_t near, hosted, my_near, my_hosted, i, j, sets, set, hosts, on;
  struct position { gex_Rank_t set, host; } *all;
  check_start(&argc, &argv, NULL, 0, KiB(64));
  gex_System_QueryNbrhdInfo(&nbrhd, &near, &my_near);
  gex_System_QueryHostInfo(&host, &hosted, &my_hosted);
  gex_System_QueryNbrhdInfo(&again, NULL, NULL);
  CHECK(again == nbrhd);
  gex_System_QueryHostInfo(NULL, NULL, NULL);
  sorted_with_me(nbrhd, near, my_near);
  sorted_with_me(host, hosted, my_hosted);
  for (i = 0; i < near; i++) {
    for (j = 0; j < hosted && host[j].gex_jobrank != nbrhd[i].gex_jobrank; j++) {}
    CHECK(j < hosted);
  }
  gex_System_QueryMyPosition(NULL, NULL, NULL, NULL);
  gex_System_QueryMyPosition(&sets, &set, &hosts, &on);
  CHECK(set < sets && on < hosts && hosts <= sets && sets <= nranks);
  all = (struct position *)(void *)seg(me);
  all[0].set = set, all[0].host = on;
  barrier();
  all = (struct position *)calloc(nranks, sizeof *all);
  for (i = 0; i < nranks; i++) gex_RMA_GetBlocking(world, &all[i], i, seg(i), sizeof *all, 0);
  for (i = 0; i < nranks; i++) {
    for (j = 0; j < near && nbrhd[j].gex_jobrank != i; j++) {}
    CHECK_EQ(all[i].set == set, j < near);
    for (j = 0; j < hosted && host[j].gex_jobrank != i; j++) {}
    CHECK_EQ(all[i].host == on, j < hosted);
  }
  for (i = 0; i < sets; i++) { /* no number is left out */
    for (j = 0; j < nranks && all[j].set != i; j++) {}
    CHECK(j < nranks);
  }
  for (i = 0; i < hosts; i++) {
    for (j = 0; j < nranks && all[j].host != i; j++) {}
    CHECK(j < nranks);
  }
  return check_end();
}
