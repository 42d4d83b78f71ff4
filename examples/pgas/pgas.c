/* Start and end, arrays and global pointers, access. */
#include "inside.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint32_t pgas_local_threads;
__thread uint32_t pgas_self;
static uint32_t ranks, my_rank;
static size_t heap_bytes; /* of each thread */
static char **heaps;      /* by rank: where its first thread's is */
static volatile uint32_t heaps_known;
static __thread size_t heap_used;

/* By rank: whether this thread has relaxed puts there that may not be complete. */
static __thread char *putting;
static __thread int put_any;

static struct start {
  uint32_t index;
  int argc;
  char **argv;
  int (*program)(int argc, char **argv);
} starts[PGAS_MAX_LOCAL];

uint32_t pgas_ranks(void) { return ranks; }
uint32_t pgas_threads(void) { return ranks * pgas_local_threads; }
uint32_t pgas_me(void) { return my_rank * pgas_local_threads + pgas_self; }

void pgas_exit(int code) { gasnet_exit(code); }

void pgas_fail(const char *format, ...) {
  char line[512];
  va_list list;
  va_start(list, format);
  vsnprintf(line, sizeof line, format, list);
  va_end(list);
  fprintf(stderr, "pgas: thread %u: %s\n", (unsigned)pgas_me(), line);
  gasnet_exit(1);
  abort();
}

void *pgas_private(size_t count, size_t each) {
  void *at = calloc(count ? count : 1, each);
  if (!at) pgas_fail("no memory for %zu times %zu bytes", count, each);
  return at;
}

static void on_heap_at(gasnet_token_t token, gasnet_handlerarg_t high, gasnet_handlerarg_t low) {
  gasnet_node_t rank;
  gasnet_AMGetMsgSource(token, &rank);
  heaps[rank] = (char *)(uintptr_t)((uint64_t)(uint32_t)high << 32 | (uint32_t)low);
  __atomic_fetch_add(&heaps_known, 1, __ATOMIC_RELEASE);
}

static gasnet_handlerentry_t handlers[] = {
  {PGAS_HEAP_AT, (void (*)())on_heap_at},
  {PGAS_STEP, (void (*)())pgas_on_step},
  {PGAS_LOCK_ASK, (void (*)())pgas_on_lock_ask},
  {PGAS_LOCK_ANSWER, (void (*)())pgas_on_lock_answer},
  {PGAS_LOCK_RETURN, (void (*)())pgas_on_lock_return},
  {PGAS_LOCK_RETURNED, (void (*)())pgas_on_lock_returned},
  {PGAS_LOCK_YOURS, (void (*)())pgas_on_lock_yours},
};

static void *thread_main(void *arg) {
  struct start *start = (struct start *)arg;
  double result;
  pgas_self = start->index;
  putting = (char *)pgas_private(ranks, 1);
  pgas_together_start_thread();
  pgas_barrier(0);
  result = start->program(start->argc, start->argv);
  pgas_max(&result, 1);
  pgas_barrier(0);
  free(putting);
  if (pgas_self == 0) gasnet_exit((int)result);
  return NULL;
}

/* Shared memory is the segment or, if all memory is accessible, a block that the rank allocates. */
static void attach(void) {
  int count = sizeof handlers / sizeof *handlers;
  char *mine;
#ifdef GASNET_SEGMENT_EVERYTHING
  if (gasnet_attach(handlers, count, 0, 0) != GASNET_OK) gasnet_exit(1);
  mine = (char *)pgas_private(pgas_local_threads, heap_bytes);
#else
  gasnet_seginfo_t *segments = (gasnet_seginfo_t *)pgas_private(ranks, sizeof *segments);
  size_t most = gasnet_getMaxGlobalSegmentSize() / pgas_local_threads / GASNET_PAGESIZE * GASNET_PAGESIZE;
  if (heap_bytes > most) heap_bytes = most;
  if (gasnet_attach(handlers, count, heap_bytes * pgas_local_threads, 0) != GASNET_OK) gasnet_exit(1);
  gasnet_getSegmentInfo(segments, (int)ranks);
  mine = (char *)segments[my_rank].addr;
  free(segments);
#endif
  for (gasnet_node_t rank = 0; rank < ranks; rank++)
    gasnet_AMRequestShort2(rank, PGAS_HEAP_AT, (gasnet_handlerarg_t)((uint64_t)(uintptr_t)mine >> 32),
                           (gasnet_handlerarg_t)(uintptr_t)mine);
  GASNET_BLOCKUNTIL(heaps_known == ranks);
}

void pgas_run(int argc, char **argv, int (*program)(int argc, char **argv)) {
  pthread_t id;
  if (gasnet_init(&argc, &argv) != GASNET_OK) exit(1);
  my_rank = gasnet_mynode(), ranks = gasnet_nodes();
  pgas_local_threads = (uint32_t)gasnett_getenv_int_withdefault("PGAS_THREADS", 2, 0);
  if (pgas_local_threads < 1 || pgas_local_threads > PGAS_MAX_LOCAL)
    pgas_fail("PGAS_THREADS must be 1 to %d", PGAS_MAX_LOCAL);
  heap_bytes = (size_t)gasnett_getenv_int_withdefault("PGAS_HEAP", (int64_t)64 << 20, 1 << 20);
  heap_bytes = heap_bytes / GASNET_PAGESIZE * GASNET_PAGESIZE;
  heaps = (char **)pgas_private(ranks, sizeof *heaps);
  attach();
  pgas_lock_start();
  for (uint32_t t = 0; t < pgas_local_threads; t++) {
    starts[t] = (struct start){t, argc, argv, program};
    if (t > 0 && (pthread_create(&id, NULL, thread_main, &starts[t]) != 0 || pthread_detach(id) != 0))
      pgas_fail("no more threads than %u", (unsigned)t);
  }
  thread_main(&starts[0]);
}

/* --- arrays and pointers ------------------------------------------------------------------------------------------- */

static char *heap_of(uint32_t thread) {
  return heaps[pgas_rank_of(thread)] + heap_bytes * pgas_index_of(thread);
}

pgas_array pgas_alloc(size_t count, size_t elem, size_t block) {
  size_t blocks = (count + block - 1) / block, each = (blocks + pgas_threads() - 1) / pgas_threads();
  pgas_array array;
  if (block > heap_bytes / elem || each > (heap_bytes - heap_used) / (block * elem)) {
    if (pgas_me() == 0)
      pgas_fail("%zu elements of %zu bytes are too many for the heap of %zu MiB a thread; PGAS_HEAP makes it larger", count,
                elem, heap_bytes >> 20);
    GASNET_BLOCKUNTIL(0);
  }
  array = (pgas_array){{heap_of(0) + heap_used, 0, 0}, elem, block, count};
  memset(heap_of(pgas_me()) + heap_used, 0, each * block * elem);
  heap_used += (each * block * elem + 63) / 64 * 64;
  pgas_barrier(0);
  return array;
}

/* The element that lies `by` elements of `array` behind `p`, whose phase counts, too. */
pgas_ptr pgas_add(const pgas_array *array, pgas_ptr p, ptrdiff_t by) {
  ptrdiff_t block = (ptrdiff_t)array->block, threads = (ptrdiff_t)pgas_threads();
  ptrdiff_t from_block = (ptrdiff_t)p.phase + by, blocks = from_block / block - (from_block % block < 0);
  ptrdiff_t from_thread = (ptrdiff_t)p.thread + blocks, laps = from_thread / threads - (from_thread % threads < 0);
  pgas_ptr q;
  q.thread = (uint32_t)(from_thread - laps * threads);
  q.phase = (uint32_t)(from_block - blocks * block);
  q.addr = p.addr - heap_of(p.thread) + heap_of(q.thread) +
           (laps * block + (ptrdiff_t)q.phase - (ptrdiff_t)p.phase) * (ptrdiff_t)array->elem;
  return q;
}

pgas_ptr pgas_at(const pgas_array *array, size_t index) { return pgas_add(array, array->first, (ptrdiff_t)index); }

/* How far a pointer is from the beginning of its array. */
static ptrdiff_t index_in(const pgas_array *array, pgas_ptr p) {
  ptrdiff_t here = (p.addr - heap_of(p.thread) - (array->first.addr - heap_of(0))) / (ptrdiff_t)array->elem;
  ptrdiff_t block = (ptrdiff_t)array->block, lap = (here - (ptrdiff_t)p.phase) / block;
  return (lap * (ptrdiff_t)pgas_threads() + (ptrdiff_t)p.thread) * block + (ptrdiff_t)p.phase;
}

ptrdiff_t pgas_distance(const pgas_array *array, pgas_ptr from, pgas_ptr to) {
  return index_in(array, to) - index_in(array, from);
}

uint32_t pgas_owner(const pgas_array *array, size_t index) {
  return (uint32_t)(index / array->block % pgas_threads());
}

void *pgas_local(pgas_ptr p) { return pgas_rank_of(p.thread) == my_rank ? p.addr : NULL; }

/* --- access -------------------------------------------------------------------------------------------------------- */

void pgas_put(pgas_ptr to, const void *from, size_t nbytes) {
  gasnet_node_t rank = pgas_rank_of(to.thread);
  gasnet_put_nbi(rank, to.addr, (void *)from, nbytes);
  putting[rank] = 1, put_any = 1;
}

static void puts_are_done(void) {
  gasnet_wait_syncnbi_puts();
  memset(putting, 0, ranks), put_any = 0;
}

void pgas_get(void *to, pgas_ptr from, size_t nbytes) {
  gasnet_node_t rank = pgas_rank_of(from.thread);
  /* A thread sees its own puts. */
  if (put_any && putting[rank]) puts_are_done();
  gasnet_get(to, rank, from.addr, nbytes);
}

void pgas_get_pieces(void *const to[], uint32_t thread, void *const from[], size_t count, size_t each) {
  gasnet_node_t rank = pgas_rank_of(thread);
  if (put_any && putting[rank]) puts_are_done();
  gasnet_geti_nbi_bulk(count, to, each, rank, count, from, each);
}

void pgas_fence(void) {
  if (put_any) puts_are_done();
  gasnet_wait_syncnbi_all();
  gasnett_local_mb();
}

void pgas_put_strict(pgas_ptr to, const void *from, size_t nbytes) {
  pgas_fence();
  gasnet_put(pgas_rank_of(to.thread), to.addr, (void *)from, nbytes);
  gasnett_local_mb();
}

void pgas_get_strict(void *to, pgas_ptr from, size_t nbytes) {
  pgas_fence();
  gasnet_get(to, pgas_rank_of(from.thread), from.addr, nbytes);
  gasnett_local_mb();
}

void pgas_poll(void) {
  gasnet_AMPoll();
  gasnett_sched_yield();
}
