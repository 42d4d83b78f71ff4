/* GASNet-EX: put and get with events, remote atomics, reductions, teams. */
#include "perf.h"

#ifdef HAVE_EX

#include <gasnet_coll.h>
#include <gasnet_ratomic.h>

static gex_AD_t counters;

void ex_rma_start(void) { gex_AD_Create(&counters, team, GEX_DT_U64, GEX_OP_FADD | GEX_OP_GET, 0); }

/* The lengths that programs move as one variable are constants in the calls. */
#define TESTED(event) \
  do { \
    gex_Event_t event_ = (event); \
    while (gex_Event_Test(event_) != GASNET_OK) gasnet_AMPoll(); \
  } while (0)
#define PUT(n) gex_RMA_PutNB(tm, peer, there, source, n, GEX_EVENT_DEFER, 0)
#define GET(n) gex_RMA_GetNB(tm, sink, peer, there, n, 0)
#define DEFINE(name, op) \
  static void name(const struct part *p) { \
    const gex_TM_t tm = team; \
    const gex_Rank_t peer = p->peer; \
    const size_t size = p->round->size; \
    char *const there = p->there, *const source = p->source, *const sink = p->sink; \
    (void)source, (void)sink; \
    if (p->role == TARGET) return; \
    if (size == 8) \
      for (uint64_t i = 0; i < p->round->iters; i++) TESTED(op(8)); \
    else \
      for (uint64_t i = 0; i < p->round->iters; i++) TESTED(op(size)); \
  }
DEFINE(put_nb, PUT)
DEFINE(get_nb, GET)

/* The target's word counts the increments, which must equal the number requested by all ranks. */
static void fetch_add(const struct part *p, int both) {
  uint64_t *word = (uint64_t *)(void *)(p->role == TARGET ? p->here : p->there), before = 0, last = 0;
  const gex_AD_t ad = counters;
  const gex_Rank_t owner = p->role == TARGET ? me : p->peer;
  const uint64_t iters = p->round->iters;
  if (p->role == TARGET && !both) return;
  /* A processor executes an atomic instruction after all earlier loads: `iters` is in a register, as in the floor. */
  for (uint64_t i = 0; i < iters; i++) {
    gex_Event_Wait(gex_AD_OpNB_U64(ad, &last, owner, word, GEX_OP_FADD, 1, 0, 0));
    if (i == 0) before = last;
  }
  if (both ? last - before + 1 < iters : last - before + 1 != iters)
    die("fetch-add: %llu operations increased the word by %llu", (unsigned long long)iters,
        (unsigned long long)(last - before + 1));
}
static void fetch_add_alone(const struct part *p) { fetch_add(p, 0); }
static void fetch_add_contended(const struct part *p) { fetch_add(p, 1); }

/* Sums of doubles; every rank adds 1 to each. */
static void reduce(const struct part *p) {
  size_t count = p->round->size / sizeof(double);
  double *mine = (double *)(void *)p->source, *sums = (double *)(void *)p->sink;
  if (count == 0) return;
  if (p->round->check)
    for (size_t i = 0; i < count; i++) mine[i] = 1;
  for (uint64_t i = 0; i < p->round->iters; i++)
    gex_Event_Wait(gex_Coll_ReduceToAllNB(team, sums, mine, GEX_DT_DBL, sizeof(double), count, GEX_OP_ADD, NULL, NULL, 0));
  if (p->round->check)
    for (size_t i = 0; i < count; i++)
      if (sums[i] != (double)nodes) die("reduce-to-all: sum %zu is %f, not %d", i, sums[i], (int)nodes);
}

static void barrier_nb(const struct part *p) {
  for (uint64_t i = 0; i < p->round->iters; i++) gex_Event_Wait(gex_Coll_BarrierNB(team, 0));
}

static void split(const struct part *p) {
  for (uint64_t i = 0; i < p->round->iters; i++) {
    gex_TM_t part;
    gex_TM_Split(&part, team, 0, (int)(nodes - me), NULL, 0, GEX_FLAG_TM_NO_SCRATCH);
    if (p->round->check && gex_TM_QueryRank(part) != nodes - 1 - me) die("split: rank %u in the new team", (unsigned)gex_TM_QueryRank(part));
    gex_Event_Wait(gex_Coll_BarrierNB(part, 0));
    gex_TM_Destroy(part, NULL, 0);
  }
}

static void thousand_teams(const struct part *p) {
  static gex_TM_t teams[1000];
  const int count = sizeof teams / sizeof *teams;
  double before = memory_kib("Pss_Anon:");
  (void)p;
  for (int i = 0; i < count; i++) gex_TM_Split(&teams[i], team, 0, (int)me, NULL, 0, GEX_FLAG_TM_NO_SCRATCH);
  if (me == 0) report_value("1000 teams: private memory of a rank", "KiB", memory_kib("Pss_Anon:") - before);
  for (int i = 0; i < count; i++) gex_TM_Destroy(teams[i], NULL, 0);
}

const struct op ex_rma_ops[] = {
  {"ex-put-nb", "gex_RMA_PutNB, each tested until it is done", SIZED | PUTS | ONE_WAY | UNASKED, put_nb},
  {"ex-get-nb", "gex_RMA_GetNB, each tested until it is done", SIZED | GETS | ONE_WAY | UNASKED, get_nb},
  {"ex-fetch-add", "gex_AD_OpNB_U64 fetch-add and its wait", UNASKED, fetch_add_alone},
  {"ex-fetch-add-both", "the same, while the word's owner does it, too", UNASKED, fetch_add_contended},
  {"ex-barrier", "gex_Coll_BarrierNB of all ranks and its wait", EVERYONE | UNASKED, barrier_nb},
  {"ex-reduce", "gex_Coll_ReduceToAllNB of doubles and its wait", EVERYONE | SIZED | UNASKED, reduce},
  {"ex-split", "gex_TM_Split, a barrier of the new team, gex_TM_Destroy", EVERYONE | UNASKED, split},
  {"ex-1000-teams", "private memory that 1000 teams of all ranks take", EVERYONE | TOTAL | UNASKED, thousand_teams},
  {NULL, NULL, 0, NULL},
};

#else

const struct op ex_rma_ops[] = {{NULL, NULL, 0, NULL}};

#endif
