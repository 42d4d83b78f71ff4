/* Collectives, and for comparison the same data movement without them: ranks copy from each other's segments between
   barriers. All buffers lie in segments. */
#include "perf.h"

#ifdef HAVE_EX

#include <gasnet_coll.h>
#include <stdlib.h>
#include <string.h>

/* A GASNet-EX need not have GASNet-1's collectives. */
#ifdef PERF_NO_COLL
#define EXTRA(call) die("this GASNet has no such collective")
#else
#define EXTRA(call) call
#endif

#define MY (GASNET_COLL_LOCAL | GASNET_COLL_IN_MYSYNC | GASNET_COLL_OUT_MYSYNC)
#define ALL (GASNET_COLL_LOCAL | GASNET_COLL_IN_ALLSYNC | GASNET_COLL_OUT_ALLSYNC)

enum what { BROADCAST, REDUCE, SCAN, EXCHANGE, GATHER_ALL };

#ifndef PERF_NO_COLL
static void add(void *sums, size_t count, const void *left, size_t left_count, const void *right, size_t bytes, int flags, int arg) {
  (void)left_count, (void)bytes, (void)flags, (void)arg;
  for (size_t i = 0; i < count; i++) ((double *)sums)[i] = ((const double *)left)[i] + ((const double *)right)[i];
}
static gasnet_coll_fn_entry_t functions[] = {{add, 0}};
#endif

static gex_TM_t half = GEX_TM_INVALID; /* ranks below the middle; the others have a team of their own */
static char **mapped; /* by rank: its segment, as it is seen here */

/* A rank's source alternates between two places: while other ranks still read one, it may write the other. */
static size_t given(const struct part *p, enum what what) { return p->round->size * (what == EXCHANGE ? nodes : 1); }
static size_t got(const struct part *p, enum what what) { return p->round->size * (what == EXCHANGE || what == GATHER_ALL ? nodes : 1); }
static size_t room(const struct part *p, enum what what) { return (given(p, what) + 127) / 128 * 128; }

static void begin(const struct part *p, enum what what) {
  size_t bytes = 2 * room(p, what) + got(p, what);
  if (bytes > segment_bytes) die("collectives of %zu bytes need --segment %zu", (size_t)p->round->size, bytes);
  if (!mapped) {
#ifndef PERF_NO_COLL
    gasnet_coll_init(NULL, 0, functions, 1, 0);
#endif
    mapped = calloc(nodes, sizeof *mapped);
    for (gasnet_node_t i = 0; mapped && i < nodes; i++) {
      void *local = NULL;
      gex_Event_Wait(gex_EP_QueryBoundSegmentNB(team, i, NULL, &local, NULL, 0));
      mapped[i] = i == me ? segment_of[me] : local;
    }
  }
  if (!p->round->check) return;
  for (int turn = 0; turn < 2; turn++) {
    double *numbers = (double *)(void *)(segment_of[me] + turn * room(p, what));
    for (size_t i = 0; (what == REDUCE || what == SCAN) && i < p->round->size / sizeof *numbers; i++) numbers[i] = (double)(me + i);
    for (size_t i = 0; what != REDUCE && what != SCAN && i < given(p, what); i++) ((unsigned char *)numbers)[i] = pattern(me, i);
  }
  memset(segment_of[me] + 2 * room(p, what), 0, got(p, what));
  barrier();
}

static void end(const struct part *p, enum what what) {
  const unsigned char *bytes = (unsigned char *)segment_of[me] + 2 * room(p, what);
  size_t n = p->round->size;
  if (!p->round->check) return;
  barrier();
  switch (what) {
    case BROADCAST:
      for (size_t i = 0; i < n; i++)
        if (bytes[i] != pattern(0, i)) die("broadcast: byte %zu", i);
      break;
    case REDUCE:
      for (size_t i = 0; me == 0 && i < n / sizeof(double); i++)
        if (((const double *)(const void *)bytes)[i] != (double)(nodes * (nodes - 1) / 2 + nodes * i)) die("reduce: number %zu", i);
      break;
    case SCAN: {
      /* The array is that of all ranks; rank r has r, r + 1, ... */
      size_t count = n / sizeof(double);
      double sum = 0;
      for (size_t r = 0; r < me; r++)
        for (size_t i = 0; i < count; i++) sum += (double)(r + i);
      for (size_t i = 0; i < count; i++)
        if (((const double *)(const void *)bytes)[i] != (sum += (double)(me + i))) die("scan: number %zu", i);
      break;
    }
    case EXCHANGE:
      for (size_t r = 0; r < nodes; r++)
        for (size_t i = 0; i < n; i++)
          if (bytes[r * n + i] != pattern(r, me * n + i)) die("exchange: byte %zu of rank %zu", i, r);
      break;
    case GATHER_ALL:
      for (size_t r = 0; r < nodes; r++)
        for (size_t i = 0; i < n; i++)
          if (bytes[r * n + i] != pattern(r, i)) die("gather-all: byte %zu of rank %zu", i, r);
  }
}

static void library(const struct part *p, enum what what, int flags) {
  size_t n = p->round->size;
  char *dst = segment_of[me] + 2 * room(p, what);
  begin(p, what);
  for (uint64_t i = 0; i < p->round->iters; i++) {
    char *src = segment_of[me] + i % 2 * room(p, what);
    switch (what) {
      case BROADCAST:
        if (flags == MY) gex_Event_Wait(gex_Coll_BroadcastNB(team, 0, dst, src, n, 0));
        else EXTRA(gasnet_coll_broadcast(GASNET_TEAM_ALL, dst, 0, src, n, flags));
        break;
      case REDUCE: gex_Event_Wait(gex_Coll_ReduceToOneNB(team, 0, dst, src, GEX_DT_DBL, sizeof(double), n / sizeof(double), GEX_OP_ADD, NULL, NULL, 0)); break;
      case SCAN: EXTRA(gasnet_coll_scan(GASNET_TEAM_ALL, dst, n / sizeof(double), 0, src, n / sizeof(double), 0, sizeof(double), nodes * n / sizeof(double), 0, 0, flags | GASNET_COLL_INCLUSIVE_SCAN)); break;
      case EXCHANGE: EXTRA(gasnet_coll_exchange(GASNET_TEAM_ALL, dst, src, n, flags)); break;
      case GATHER_ALL: EXTRA(gasnet_coll_gather_all(GASNET_TEAM_ALL, dst, src, n, flags)); break;
    }
  }
  end(p, what);
}

/* `barriers` 2: no source is read before all ranks have arrived, and no rank returns before all have read. With 1 the
   next round uses the other source. */
static void by_hand(const struct part *p, enum what what, int barriers) {
  size_t n = p->round->size;
  begin(p, what);
  char *dst = segment_of[me] + 2 * room(p, what);
  for (uint64_t i = 0; i < p->round->iters; i++) {
    size_t at = i % 2 * room(p, what);
    barrier();
    switch (what) {
      case BROADCAST: memcpy(dst, mapped[0] + at, n); break;
      case REDUCE:
        if (me != 0) break;
        memcpy(dst, mapped[0] + at, n);
        for (gasnet_node_t r = 1; r < nodes; r++) {
          const double *theirs = (const double *)(const void *)(mapped[r] + at);
          for (size_t k = 0; k < n / sizeof(double); k++) ((double *)(void *)dst)[k] += theirs[k];
        }
        break;
      case SCAN: die("scan: not by hand");
      case EXCHANGE:
      case GATHER_ALL:
        for (gasnet_node_t k = 0; k < nodes; k++) {
          gasnet_node_t r = (me + k) % nodes;
          memcpy(dst + r * n, mapped[r] + at + (what == EXCHANGE ? me * n : 0), n);
        }
    }
    if (barriers == 2) barrier();
  }
  end(p, what);
}

#define PAIR(name, what) \
  static void name(const struct part *p) { library(p, what, MY); } \
  static void name##_by_hand(const struct part *p) { by_hand(p, what, 1); } \
  static void name##_all_by_hand(const struct part *p) { by_hand(p, what, 2); }
PAIR(broadcast, BROADCAST)
PAIR(exchange, EXCHANGE)
PAIR(gather_all, GATHER_ALL)
static void reduce(const struct part *p) { library(p, REDUCE, MY); }
static void scan(const struct part *p) { library(p, SCAN, MY); }
static void reduce_by_hand(const struct part *p) { by_hand(p, REDUCE, 1); }
static void broadcast_all(const struct part *p) { library(p, BROADCAST, ALL); }
static void exchange_all(const struct part *p) { library(p, EXCHANGE, ALL); }
static void gather_all_all(const struct part *p) { library(p, GATHER_ALL, ALL); }

static int among_half(void) {
  if (half == GEX_TM_INVALID) gex_TM_Split(&half, team, me < (nodes + 1) / 2, (int)me, NULL, 0, GEX_FLAG_TM_NO_SCRATCH);
  return me < (nodes + 1) / 2;
}
static void half_barrier(const struct part *p) {
  if (!among_half()) return;
  for (uint64_t i = 0; i < p->round->iters; i++) {
    EXTRA(gasnet_coll_barrier_notify(half, 0, GASNET_BARRIERFLAG_ANONYMOUS));
    EXTRA(GASNET_OK_OR_DIE(gasnet_coll_barrier_wait(half, 0, GASNET_BARRIERFLAG_ANONYMOUS)));
  }
}
static void half_barrier_nb(const struct part *p) {
  if (!among_half()) return;
  for (uint64_t i = 0; i < p->round->iters; i++) gex_Event_Wait(gex_Coll_BarrierNB(half, 0));
}

#define KIND EVERYONE | SIZED | UNASKED
const struct op coll_ops[] = {
  {"coll-broadcast", "gex_Coll_BroadcastNB from rank 0, and its wait", KIND, broadcast},
  {"coll-reduce", "gex_Coll_ReduceToOneNB of doubles to rank 0, and its wait", KIND, reduce},
  {"coll-scan", "gasnet_coll_scan of doubles, MYSYNC", KIND, scan},
  {"coll-exchange", "gasnet_coll_exchange, MYSYNC; the size is that of a block", KIND, exchange},
  {"coll-gather-all", "gasnet_coll_gather_all, MYSYNC; the size is that of a block", KIND, gather_all},
  {"coll-broadcast-all", "gasnet_coll_broadcast with ALLSYNC", KIND, broadcast_all},
  {"coll-exchange-all", "gasnet_coll_exchange with ALLSYNC", KIND, exchange_all},
  {"coll-gather-all-all", "gasnet_coll_gather_all with ALLSYNC", KIND, gather_all_all},
  {"hand-broadcast", "a barrier, then copies from rank 0's segment", KIND, broadcast_by_hand},
  {"hand-reduce", "a barrier, then rank 0 adds up from all segments", KIND, reduce_by_hand},
  {"hand-exchange", "a barrier, then copies from all segments", KIND, exchange_by_hand},
  {"hand-gather-all", "a barrier, then copies from all segments", KIND, gather_all_by_hand},
  {"hand-broadcast-all", "the same between two barriers", KIND, broadcast_all_by_hand},
  {"hand-exchange-all", "the same between two barriers", KIND, exchange_all_by_hand},
  {"hand-gather-all-all", "the same between two barriers", KIND, gather_all_all_by_hand},
  {"half-barrier", "gasnet_coll_barrier_notify and _wait of the first half of the ranks", EVERYONE | UNASKED, half_barrier},
  {"half-barrier-nb", "gex_Coll_BarrierNB of the first half of the ranks, and its wait", EVERYONE | UNASKED, half_barrier_nb},
  {NULL, NULL, 0, NULL},
};

#else

const struct op coll_ops[] = {{NULL, NULL, 0, NULL}};

#endif
