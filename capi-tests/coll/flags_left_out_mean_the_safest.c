// Release clients may omit sync flags, SINGLE and LOCAL: then all images synchronise with all, and addresses are local.
// debug: no
// ranks: 1 2 3
// modes: par seq
#include "coll.h"

static int in_of[] = { 0, GASNET_COLL_IN_NOSYNC, GASNET_COLL_IN_MYSYNC, GASNET_COLL_IN_MYSYNC | GASNET_COLL_IN_ALLSYNC };

int main(int argc, char **argv) {
  int round;
  check_start(&argc, &argv, NULL, 0, KiB(64));
  for (round = 0; round < 200; round++) {
    gasnet_node_t i, next = next_rank(), root = (gasnet_node_t)round % nranks;
    uint64_t value = 1000 * (uint64_t)round + next, got = 0, *all = (uint64_t *)calloc(nranks, 8), *mine = (uint64_t *)calloc(nranks, 8);
    void *dsts[1], *srcs[1];
    gasnet_coll_handle_t handle;
    /* IN_ALLSYNC and OUT_ALLSYNC. */
    gasnet_put(next, seg(next), &value, sizeof value);
    gasnet_coll_gather_all(GASNET_TEAM_ALL, seg(me) + 64, seg(me), 8, 0);
    gasnet_get_bulk(all, next, seg(next) + 64, 8 * nranks);
    for (i = 0; i < nranks; i++) CHECK_EQ(all[i], 1000 * (uint64_t)round + i);
    barrier();
    /* The addresses of each rank, on its stack and heap; one of the groups given. */
    value = 7 * (uint64_t)round + me;
    gasnet_coll_broadcast(GASNET_TEAM_ALL, &got, root, &value, 8, in_of[round % 4]);
    CHECK_EQ(got, 7 * (uint64_t)round + root);
    gasnet_coll_gather(GASNET_TEAM_ALL, root, all, &value, 8, GASNET_COLL_OUT_MYSYNC);
    for (i = 0; me == root && i < nranks; i++) CHECK_EQ(all[i], 7 * (uint64_t)round + i);
    dsts[0] = &got, srcs[0] = &value;
    gasnet_coll_broadcastM(GASNET_TEAM_ALL, dsts, root, &value, 8, GASNET_COLL_IN_MYSYNC | GASNET_COLL_OUT_MYSYNC);
    CHECK_EQ(got, 7 * (uint64_t)round + root);
    gasnet_coll_gather_allM(GASNET_TEAM_ALL, (dsts[0] = all, dsts), srcs, 8, 0);
    for (i = 0; i < nranks; i++) CHECK_EQ(all[i], 7 * (uint64_t)round + i);
    for (i = 0; i < nranks; i++) mine[i] = 100 * (uint64_t)me + i;
    handle = gasnet_coll_exchange_nb(GASNET_TEAM_ALL, all, mine, 8, GASNET_COLL_LOCAL);
    gasnet_coll_wait_sync(handle);
    for (i = 0; i < nranks; i++) CHECK_EQ(all[i], 100 * (uint64_t)i + me);
    free(all), free(mine);
  }
  return check_end();
}
