// Teams are made, used and destroyed for SOAK_SECONDS while other threads of each rank poll and come and go: splits, lists, parts of parts, with several
// collectives in flight that are tested or waited for in any order, and whose results are right.
// modes: par seq
// ranks: 1 2 3 4 5
// time: $((90 + 2 * ${SOAK_SECONDS:-2}))
#include "check_ex.h"

#include <gasnet_coll.h>
#include <time.h>

#if GASNET_PAR
enum { FLIGHT = 6, WORDS = 3000, THREADS = 1 };
#else
enum { FLIGHT = 6, WORDS = 3000, THREADS = 0 };
#endif
static uint64_t everybody, own; /* random numbers: the same on every rank, and not */
static int stop;

static void finish(gex_Event_t event) {
  if (rnd(&own) % 2) gex_Event_Wait(event);
  else while (gex_Event_Test(event) != GASNET_OK) gasnet_AMPoll();
}

/* Random numbers of `state` are used the same way by all members. */
static void use(gex_TM_t team, uint64_t state) {
  static int64_t in[FLIGHT][WORDS], out[FLIGHT][WORDS];
  gex_Event_t events[FLIGHT];
  gex_Rank_t size = gex_TM_QuerySize(team), rank = gex_TM_QueryRank(team), root[FLIGHT];
  int count = 1 + (int)(rnd(&state) % FLIGHT), kind[FLIGHT], n[FLIGHT], i, k;
  for (i = 0; i < count; i++) {
    kind[i] = (int)(rnd(&state) % 4), n[i] = 1 + (int)(rnd(&state) % (rnd(&state) % 3 ? 8 : WORDS)), root[i] = (gex_Rank_t)(rnd(&state) % size);
    for (k = 0; k < n[i]; k++) in[i][k] = (int64_t)(rank + 1) * (k + 1), out[i][k] = -1;
    switch (kind[i]) {
      case 0: events[i] = gex_Coll_ReduceToAllNB(team, out[i], in[i], GEX_DT_I64, 8, (size_t)n[i], GEX_OP_ADD, NULL, NULL, 0); break;
      case 1: events[i] = gex_Coll_ReduceToOneNB(team, root[i], out[i], in[i], GEX_DT_I64, 8, (size_t)n[i], GEX_OP_MAX, NULL, NULL, 0); break;
      case 2: events[i] = gex_Coll_BroadcastNB(team, root[i], out[i], in[i], 8 * (size_t)n[i], 0); break;
      default: events[i] = gex_Coll_BarrierNB(team, 0);
    }
  }
  for (i = 0; i < count; i++) {
    int at = (i + (int)(everybody % (unsigned)count)) % count;
    finish(events[at]);
    for (k = 0; k < n[at]; k++) {
      int64_t want = kind[at] == 0 ? (int64_t)size * (size + 1) / 2 * (k + 1) : kind[at] == 1 ? (rank == root[at] ? (int64_t)size * (k + 1) : -1)
                   : kind[at] == 2 ? (int64_t)(root[at] + 1) * (k + 1) : -1;
      MUST(out[at][k] == want);
    }
  }
}

static void life(gex_TM_t parent, int depth) {
  gex_TM_t team = GEX_TM_INVALID;
  int colors = 1 + (int)(rnd(&everybody) % 3), color = (int)((gex_TM_QueryRank(parent) + rnd(&everybody)) % (unsigned)colors);
  uint64_t state = rnd(&everybody);
  gex_TM_Split(&team, parent, color, (int)(rnd(&own) % 5), NULL, 0, GEX_FLAG_TM_NO_SCRATCH);
  MUST(team != GEX_TM_INVALID);
  use(team, state);
  if (depth > 0) { /* each part goes on by itself, and meets the others after it */
    uint64_t keep = everybody;
    life(team, depth - 1);
    everybody = keep;
  }
  use(team, state >> 1 | 1);
  gex_TM_Destroy(team, NULL, 0);
}

static void *poller(void *arg) {
  int i = 0;
  while (!__atomic_load_n(&stop, __ATOMIC_ACQUIRE) && (!arg || i++ < 1000)) gasnet_AMPoll();
  return NULL;
}

int main(int argc, char **argv) {
  time_t end;
  const char *value;
  int64_t late = 0, over;
  long rounds = 0;
  pthread_t always = 0, passing = 0;
  check_start(&argc, &argv, NULL, 0, GASNET_PAGESIZE);
  everybody = (value = getenv("SOAK_SEED")) ? strtoull(value, NULL, 10) * 2 + 1 : 1;
  own = everybody * 16 + me;
  end = time(NULL) + ((value = getenv("SOAK_SECONDS")) ? atoi(value) : 2);
  if (THREADS) MUST(pthread_create(&always, NULL, poller, NULL) == 0);
  while (!late) {
    if (THREADS) MUST(pthread_create(&passing, NULL, poller, &stop) == 0);
    life(world, (int)(rnd(&everybody) % 3));
    if (THREADS) pthread_join(passing, NULL);
    over = time(NULL) >= end;
    gex_Event_Wait(gex_Coll_ReduceToAllNB(world, &late, &over, GEX_DT_I64, 8, 1, GEX_OP_MAX, NULL, NULL, 0));
    rounds++;
  }
  __atomic_store_n(&stop, 1, __ATOMIC_RELEASE);
  if (THREADS) pthread_join(always, NULL);
  if (me == 0) printf("rank 0: %ld rounds\n", rounds);
  fflush(stdout);
  return check_end();
}
