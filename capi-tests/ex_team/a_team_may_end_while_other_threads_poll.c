// A team whose collectives have completed may be destroyed at once, while other threads poll: one of them may be the
// thread that completed the last one, and still be about it.
// ranks: 2 3
// modes: par
// time: 120
#include "check_ex.h"

#include <time.h>

enum { ROUNDS = 2000, REDUCTIONS = 3, POLLERS = 1, SECONDS = 3 };
static volatile int stop;

/* Few rounds where threads wait for cores: all ranks stop after the same round, once the time of one of them is up. */
static void team_life(void) {
  time_t start = time(NULL);
  int round, i;
  int64_t late = 0;
  for (round = 0; round < ROUNDS && !late; round++) {
    gex_TM_t team = GEX_TM_INVALID;
    CHECK_EQ(gex_TM_Split(&team, world, 1, (int)me, NULL, 0, GEX_FLAG_TM_NO_SCRATCH), 0);
    MUST(team != GEX_TM_INVALID);
    for (i = 0; i < REDUCTIONS; i++) {
      int64_t mine[2] = { me + 1, time(NULL) - start >= SECONDS }, sum[2] = { 0, 0 };
      gex_Event_t event =
          gex_Coll_ReduceToAllNB(team, sum, mine, GEX_DT_I64, sizeof *sum, 2, GEX_OP_ADD, NULL, NULL, 0);
      if (me % 2) gex_Event_Wait(event); /* leaves the cores to the threads of rank 0 */
      while (me % 2 == 0 && gex_Event_Test(event) != GASNET_OK) gasnet_AMPoll();
      CHECK_EQ(sum[0], nranks * (nranks + 1) / 2);
      late = sum[1];
    }
    gex_TM_Destroy(team, NULL, 0);
  }
}

static void work(int i) {
  if (i == 0) {
    team_life();
    __atomic_store_n(&stop, 1, __ATOMIC_RELEASE);
  } else {
    while (!__atomic_load_n(&stop, __ATOMIC_ACQUIRE)) gasnet_AMPoll();
  }
}

int main(int argc, char **argv) {
  check_start(&argc, &argv, NULL, 0, GASNET_PAGESIZE);
  on_threads(me % 2 ? 1 : 1 + POLLERS, work);
  return check_end();
}
