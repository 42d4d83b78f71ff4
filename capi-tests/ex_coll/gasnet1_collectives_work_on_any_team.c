// Broadcast, scatter, gather, gather-all and exchange of GASNet-1, blocking and not, with every pair of sync flags, on the team of all and on a part.
#include "check_ex.h"
#include <gasnet_coll.h>

static const int ins[] = { GASNET_COLL_IN_NOSYNC, GASNET_COLL_IN_MYSYNC, GASNET_COLL_IN_ALLSYNC };
static const int outs[] = { GASNET_COLL_OUT_NOSYNC, GASNET_COLL_OUT_MYSYNC, GASNET_COLL_OUT_ALLSYNC };

static void on(gasnet_team_handle_t team, size_t n, int flags, int nb) {
  gex_Rank_t size = gex_TM_QuerySize(team), rank = gex_TM_QueryRank(team), r, root = size / 2;
  char *one = (char *)malloc(n + 1), *all = (char *)malloc(n * size + 1), *from = (char *)malloc(n * size + 1);
  gasnet_coll_handle_t h[2] = { GASNET_COLL_INVALID_HANDLE, GASNET_COLL_INVALID_HANDLE };
#define RUN(name, ...)                                                       \
  do {                                                                       \
    if (nb == 0) gasnet_coll_##name(team, __VA_ARGS__, n, flags);            \
    else {                                                                   \
      h[1] = gasnet_coll_##name##_nb(team, __VA_ARGS__, n, flags);           \
      if (nb == 1) gasnet_coll_wait_sync(h[1]);                              \
      else if (nb == 2) while (gasnet_coll_try_sync(h[1]) == GASNET_ERR_NOT_READY) ; \
      else if (nb == 3) gasnet_coll_wait_sync_all(h, 2);                     \
      else while (gasnet_coll_try_sync_some(h, 2) != GASNET_OK) ;            \
    }                                                                        \
    gasnet_coll_barrier(team, 0, GASNET_BARRIERFLAG_ANONYMOUS);              \
  } while (0)
  if (rank == root) fill(from, n, 5);
  RUN(broadcast, one, root, rank == root ? from : NULL);
  CHECK(filled(one, n, 5));
  if (rank == root) for (r = 0; r < size; r++) fill(from + n * r, n, 10 + r);
  RUN(scatter, one, root, rank == root ? from : NULL);
  CHECK(filled(one, n, 10 + rank));
  fill(one, n, 40 + rank);
  RUN(gather, root, rank == root ? all : NULL, one);
  if (rank == root) for (r = 0; r < size; r++) CHECK(filled(all + n * r, n, 40 + r));
  memset(all, 0, n * size);
  RUN(gather_all, all, one);
  for (r = 0; r < size; r++) CHECK(filled(all + n * r, n, 40 + r));
  for (r = 0; r < size; r++) fill(from + n * r, n, 100 * rank + r);
  RUN(exchange, all, from);
  for (r = 0; r < size; r++) CHECK(filled(all + n * r, n, 100 * r + rank));
  /* own blocks in place */
  fill(all + n * rank, n, 40 + rank);
  RUN(gather_all, all, all + n * rank);
  for (r = 0; r < size; r++) CHECK(filled(all + n * r, n, 40 + r));
  free(one), free(all), free(from);
}

int main(int argc, char **argv) {
  static const size_t sizes[] = { 1, 24, 1000, 20000, 150000 };
  gex_TM_t part;
  int i, o, s, count = 0;
  check_start(&argc, &argv, NULL, 0, KiB(64));
  gex_TM_Split(&part, world, (int)me / 2, -(int)me, NULL, 0, GEX_FLAG_TM_NO_SCRATCH);
  for (s = 0; s < COUNT_OF(sizes); s++)
    for (i = 0; i < 3; i++)
      for (o = 0; o < 3; o++, count++) {
        int flags = GASNET_COLL_LOCAL | ins[i] | outs[o];
        on(GASNET_TEAM_ALL, sizes[s], flags, count % 5);
        on(part, sizes[s], flags, count % 5);
      }
  gasnet_coll_dumpTuningState(NULL, GASNET_TEAM_ALL);
  gasnet_coll_dumpProfile(NULL, GASNET_TEAM_ALL);
  gex_TM_Destroy(part, NULL, 0);
  return check_end();
}
