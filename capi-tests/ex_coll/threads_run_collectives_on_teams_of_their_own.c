// Each thread of every rank runs collectives on its own team concurrently; other threads may wait for the events.
// modes: par
// ranks: 2 3 4
#include "check_ex.h"
#include <gasnet_coll.h>

#define THREADS 3

static gex_TM_t teams[THREADS];
static gex_Event_t handed[THREADS];
static double sums[THREADS][500];
static pthread_barrier_t all;

static void work(int t) {
  double mine[500];
  int round, i;
  for (round = 0; round < 100; round++) {
    uint64_t one = 1, sum = 0;
    gex_Event_Wait(gex_Coll_ReduceToAllNB(teams[t], &sum, &one, GEX_DT_U64, 8, 1, GEX_OP_ADD, NULL, NULL, 0));
    CHECK_EQ(sum, nranks);
    for (i = 0; i < 500; i++) mine[i] = t + round + i;
    handed[t] = gex_Coll_ReduceToAllNB(teams[t], sums[t], mine, GEX_DT_DBL, 8, 500, GEX_OP_ADD, NULL, NULL, 0);
    pthread_barrier_wait(&all);
    gex_Event_Wait(handed[(t + 1) % THREADS]);
    pthread_barrier_wait(&all);
    for (i = 0; i < 500; i++) CHECK(sums[t][i] == (t + round + i) * (double)nranks);
    gex_Event_Wait(gex_Coll_BarrierNB(teams[t], 0));
  }
}

int main(int argc, char **argv) {
  int t;
  check_start(&argc, &argv, NULL, 0, KiB(64));
  for (t = 0; t < THREADS; t++) gex_TM_Split(&teams[t], world, 0, 0, NULL, 0, GEX_FLAG_TM_NO_SCRATCH);
  pthread_barrier_init(&all, NULL, THREADS);
  on_threads(THREADS, work);
  for (t = 0; t < THREADS; t++) gex_TM_Destroy(teams[t], NULL, 0);
  return check_end();
}
