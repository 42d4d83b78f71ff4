/* Functions of every C test of GASNet-EX: start with a segment, the end with its result, and those of check_base.h.
 *
 * Only public headers are used. */
#ifndef CAPI_TESTS_CHECK_EX_H
#define CAPI_TESTS_CHECK_EX_H

#include <gasnetex.h>

#include "check_base.h"

/* A handler table entry: CHECK_AM(200, on_ping, SHORT, REQUEST, 1). */
#define CHECK_AM(index, fn, category, side, nargs) \
  { (gex_AM_Index_t)(index), (gex_AM_Fn_t)(fn), GEX_FLAG_AM_##category | GEX_FLAG_AM_##side, nargs, NULL, #fn }

static CHECK_UNUSED gex_Client_t client;
static CHECK_UNUSED gex_EP_t endpoint;
static CHECK_UNUSED gex_TM_t world;
static CHECK_UNUSED gex_Segment_t segment;
static CHECK_UNUSED gex_Rank_t me, nranks;
static CHECK_UNUSED struct check_segment { void *addr; uintptr_t size; } *check_segs;

/* Addresses in the segment of `rank`, as its owner sees them. */
static CHECK_UNUSED char *seg(gex_Rank_t rank) { return (char *)check_segs[rank].addr; }
static CHECK_UNUSED uintptr_t seg_size(gex_Rank_t rank) { return check_segs[rank].size; }
static CHECK_UNUSED gex_Rank_t next_rank(void) { return (me + 1) % nranks; }
static CHECK_UNUSED gex_Rank_t prev_rank(void) { return (me + nranks - 1) % nranks; }

static CHECK_UNUSED void barrier(void) { gex_Event_Wait(gex_Coll_BarrierNB(world, 0)); }

static CHECK_UNUSED void check_init(int *argc, char ***argv, gex_Flags_t flags) {
  if (gex_Client_Init(&client, &endpoint, &world, "CHECK", argc, argv, flags) != GASNET_OK) {
    fprintf(stderr, "ERROR: gex_Client_Init\n");
    exit(98);
  }
  me = gex_TM_QueryRank(world);
  nranks = gex_TM_QuerySize(world);
  check_rank = (int)me;
}

/* Attaches `size` bytes of segment a rank (a multiple of the page size) and registers handlers. */
static CHECK_UNUSED void check_attach(gex_AM_Entry_t *table, int n, uintptr_t size) {
  gex_Rank_t i;
  MUST(gex_Segment_Attach(&segment, world, size) == GASNET_OK);
  if (n > 0) MUST(gex_EP_RegisterHandlers(endpoint, table, (size_t)n) == GASNET_OK);
  check_segs = (struct check_segment *)calloc(nranks, sizeof *check_segs);
  for (i = 0; i < nranks; i++)
    gex_Event_Wait(gex_EP_QueryBoundSegmentNB(world, i, &check_segs[i].addr, NULL, &check_segs[i].size, 0));
  barrier(); /* handlers use the table: nobody sends before everyone has it */
}

static CHECK_UNUSED void check_start(int *argc, char ***argv, gex_AM_Entry_t *table, int n, uintptr_t size) {
  check_init(argc, argv, 0);
  check_attach(table, n, size);
}

/* The end of every test: all ranks meet in a barrier, print the result and exit. */
static CHECK_UNUSED int check_end(void) {
  int failed;
  barrier();
  failed = check_verdict();
  barrier();
  gasnet_exit(failed);
  return 1;
}

#endif
