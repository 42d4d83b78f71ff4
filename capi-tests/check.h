/* Functions of every C test of GASNet-1: start with a segment, the end with its result, and those of check_base.h.
 *
 * Only public headers are used. */
#ifndef CAPI_TESTS_CHECK_H
#define CAPI_TESTS_CHECK_H

#include <gasnet.h>

#include "check_base.h"

#define HANDLER(index, fn) { (gasnet_handler_t)(index), (void (*)())(fn) }

static CHECK_UNUSED gasnet_node_t me, nranks;
static CHECK_UNUSED gasnet_seginfo_t *check_segs;

/* Addresses in the segment of `rank`. */
static CHECK_UNUSED char *seg(gasnet_node_t rank) { return (char *)check_segs[rank].addr; }
static CHECK_UNUSED uintptr_t seg_size(gasnet_node_t rank) { return check_segs[rank].size; }
static CHECK_UNUSED gasnet_node_t next_rank(void) { return (me + 1) % nranks; }
static CHECK_UNUSED gasnet_node_t prev_rank(void) { return (me + nranks - 1) % nranks; }

static CHECK_UNUSED void barrier(void) {
  gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
  CHECK(gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS) == GASNET_OK);
}

static CHECK_UNUSED void check_init(int *argc, char ***argv) {
  if (gasnet_init(argc, argv) != GASNET_OK) {
    fprintf(stderr, "ERROR: gasnet_init\n");
    exit(98);
  }
  me = gasnet_mynode();
  nranks = gasnet_nodes();
  check_rank = (int)me;
}

static CHECK_UNUSED void check_attach(gasnet_handlerentry_t *table, int n, uintptr_t size) {
  MUST(gasnet_attach(table, n, size, 0) == GASNET_OK);
  check_segs = (gasnet_seginfo_t *)calloc(nranks, sizeof *check_segs);
  MUST(gasnet_getSegmentInfo(check_segs, (int)nranks) == GASNET_OK);
  barrier(); /* handlers use the table: nobody sends before everyone has it */
}

/* Init and attach with `size` bytes of segment a rank (a multiple of the page size). */
static CHECK_UNUSED void check_start(int *argc, char ***argv, gasnet_handlerentry_t *table, int n, uintptr_t size) {
  check_init(argc, argv);
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
