// The start, the shared heap and the locks of a language runtime: the largest common segment, bump allocation by messages,
// locks by messages with queues, strict and relaxed accesses, a remote fetch-and-add, an orderly end.
// ranks: 1 2 4 7
// time: 120
#include "check.h"

enum { ALLOC = 128, ALLOC_DONE, LOCK, LOCK_GRANT, UNLOCK, UNLOCK_GRANT, ADD, ADD_DONE, FIRST = ALLOC, LAST = ADD_DONE };
enum { LOCKS = 5, OBJECTS = 60, TURNS = 40 };

#define HI(p) ((gasnet_handlerarg_t)((uint64_t)(uintptr_t)(p) >> 32))
#define LO(p) ((gasnet_handlerarg_t)(uint64_t)(uintptr_t)(p))
#define PTR(hi, lo) ((void *)(uintptr_t)((uint64_t)(uint32_t)(hi) << 32 | (uint32_t)(lo)))

/* ---- allocation: each rank hands out pieces of its own segment, to any rank on request */
static gasnet_hsl_t heap_lock = GASNET_HSL_INITIALIZER;
static uintptr_t heap_top;

struct answer { volatile int done; void *volatile at; volatile uint64_t old; };

static void *bump(size_t n) {
  uintptr_t at;
  gasnet_hsl_lock(&heap_lock);
  at = heap_top;
  heap_top += (n + 63) & ~(uintptr_t)63;
  gasnet_hsl_unlock(&heap_lock);
  return heap_top <= (uintptr_t)seg(me) + seg_size(me) ? (void *)at : NULL;
}
static void on_alloc(gasnet_token_t t, gasnet_handlerarg_t n, gasnet_handlerarg_t hi, gasnet_handlerarg_t lo) {
  void *at = bump((size_t)n);
  CHECK(gasnet_AMReplyShort4(t, ALLOC_DONE, hi, lo, HI(at), LO(at)) == GASNET_OK);
}
static void on_alloc_done(gasnet_token_t t, gasnet_handlerarg_t hi, gasnet_handlerarg_t lo, gasnet_handlerarg_t ahi, gasnet_handlerarg_t alo) {
  struct answer *a = (struct answer *)PTR(hi, lo);
  (void)t;
  a->at = PTR(ahi, alo);
  a->done = 1;
}
static void *alloc_on(gasnet_node_t rank, size_t n) {
  struct answer a;
  memset((void *)&a, 0, sizeof a);
  CHECK(gasnet_AMRequestShort3(rank, ALLOC, (gasnet_handlerarg_t)n, HI(&a), LO(&a)) == GASNET_OK);
  GASNET_BLOCKUNTIL(a.done);
  return a.at;
}

/* ---- locks: the home rank keeps a queue; the grant comes with the unlock of the one before */
static struct { int held; int queued; gasnet_node_t who[256]; void *flag[256]; } locks[LOCKS];
static gasnet_hsl_t locks_lock = GASNET_HSL_INITIALIZER;
static volatile int granted;

static void on_grant(gasnet_token_t t, gasnet_handlerarg_t hi, gasnet_handlerarg_t lo) {
  (void)t;
  *(volatile int *)PTR(hi, lo) = 1;
}
static void on_lock(gasnet_token_t t, gasnet_handlerarg_t id, gasnet_handlerarg_t hi, gasnet_handlerarg_t lo) {
  gasnet_node_t from;
  int grant = 0;
  CHECK(gasnet_AMGetMsgSource(t, &from) == GASNET_OK);
  gasnet_hsl_lock(&locks_lock);
  if (!locks[id].held) grant = locks[id].held = 1;
  else {
    int q = locks[id].queued++;
    locks[id].who[q] = from;
    locks[id].flag[q] = PTR(hi, lo);
  }
  gasnet_hsl_unlock(&locks_lock);
  if (grant) CHECK(gasnet_AMReplyShort2(t, LOCK_GRANT, hi, lo) == GASNET_OK);
}
/* The rank that unlocks receives the number of the next rank and passes the lock on: the handler itself may not send a request. */
static volatile int passed, pass_hi, pass_lo;
static volatile long pass_to;
static void on_unlock(gasnet_token_t t, gasnet_handlerarg_t id) {
  gasnet_node_t to = 0;
  void *flag = NULL;
  gasnet_hsl_lock(&locks_lock);
  CHECK(locks[id].held);
  if (locks[id].queued) {
    to = locks[id].who[0];
    flag = locks[id].flag[0];
    locks[id].queued--;
    memmove(locks[id].who, locks[id].who + 1, sizeof(locks[id].who[0]) * (size_t)locks[id].queued);
    memmove(locks[id].flag, locks[id].flag + 1, sizeof(locks[id].flag[0]) * (size_t)locks[id].queued);
  } else locks[id].held = 0;
  gasnet_hsl_unlock(&locks_lock);
  CHECK(gasnet_AMReplyShort3(t, UNLOCK_GRANT, (gasnet_handlerarg_t)to, HI(flag), LO(flag)) == GASNET_OK);
}
static void on_unlock_grant(gasnet_token_t t, gasnet_handlerarg_t to, gasnet_handlerarg_t hi, gasnet_handlerarg_t lo) {
  (void)t;
  pass_to = to, pass_hi = hi, pass_lo = lo;
  passed = 1;
}
static gasnet_node_t home_of(int lock) { return (gasnet_node_t)lock % nranks; }
static void lock(int id) {
  granted = 0;
  CHECK(gasnet_AMRequestShort3(home_of(id), LOCK, id, HI(&granted), LO(&granted)) == GASNET_OK);
  GASNET_BLOCKUNTIL(granted);
}
static void unlock(int id) {
  passed = 0;
  CHECK(gasnet_AMRequestShort1(home_of(id), UNLOCK, id) == GASNET_OK);
  GASNET_BLOCKUNTIL(passed);
  if (PTR(pass_hi, pass_lo)) CHECK(gasnet_AMRequestShort2((gasnet_node_t)pass_to, LOCK_GRANT, pass_hi, pass_lo) == GASNET_OK);
}

/* ---- a remote fetch-and-add, atomic because handlers take the lock */
static gasnet_hsl_t add_lock = GASNET_HSL_INITIALIZER;
static void on_add(gasnet_token_t t, gasnet_handlerarg_t hi, gasnet_handlerarg_t lo, gasnet_handlerarg_t by, gasnet_handlerarg_t ahi, gasnet_handlerarg_t alo) {
  uint64_t *p = (uint64_t *)PTR(hi, lo), old;
  gasnet_hsl_lock(&add_lock);
  old = *p;
  *p += (uint64_t)(int64_t)by;
  gasnet_hsl_unlock(&add_lock);
  CHECK(gasnet_AMReplyMedium2(t, ADD_DONE, &old, sizeof old, ahi, alo) == GASNET_OK);
}
static void on_add_done(gasnet_token_t t, void *buf, size_t n, gasnet_handlerarg_t hi, gasnet_handlerarg_t lo) {
  struct answer *a = (struct answer *)PTR(hi, lo);
  uint64_t old;
  (void)t;
  CHECK_EQ(n, sizeof old);
  memcpy(&old, buf, sizeof old);
  a->old = old;
  a->done = 1;
}
static uint64_t fetch_add(gasnet_node_t rank, void *at, int by) {
  struct answer a;
  memset((void *)&a, 0, sizeof a);
  CHECK(gasnet_AMRequestShort5(rank, ADD, HI(at), LO(at), by, HI(&a), LO(&a)) == GASNET_OK);
  GASNET_BLOCKUNTIL(a.done);
  return a.old;
}

static void named(int id) {
  gasnet_barrier_notify(id, 0);
  CHECK(gasnet_barrier_wait(id, 0) == GASNET_OK);
}

int main(int argc, char **argv) {
  gasnet_handlerentry_t table[] = {
    HANDLER(ALLOC, on_alloc), HANDLER(ALLOC_DONE, on_alloc_done), HANDLER(LOCK, on_lock), HANDLER(LOCK_GRANT, on_grant),
    HANDLER(UNLOCK, on_unlock), HANDLER(UNLOCK_GRANT, on_unlock_grant), HANDLER(ADD, on_add), HANDLER(ADD_DONE, on_add_done),
  };
  uintptr_t local, global, i;
  uint64_t state, *counter[LOCKS], *ticket, sum = 0, seen = 0;
  struct { gasnet_node_t rank; char *at; unsigned n; } object[OBJECTS];
  gasnet_node_t r;
  int k;

  check_init(&argc, &argv);
  local = gasnet_getMaxLocalSegmentSize();
  global = gasnet_getMaxGlobalSegmentSize();
  CHECK(global <= local && global % GASNET_PAGESIZE == 0 && global >= MiB(1));
  (void)gasnet_getenv("GASNET_PSHM_NODES");
  check_attach(table, COUNT_OF(table), global);
  CHECK_EQ(seg_size(me), global);
  gasnet_set_waitmode(gasnet_nodes() > 2 ? GASNET_WAIT_BLOCK : GASNET_WAIT_SPINBLOCK);

  /* The top of the heap holds one word per lock and the ticket, at the same offset everywhere. */
  heap_top = (uintptr_t)seg(me) + GASNET_PAGESIZE;
  for (k = 0; k < LOCKS; k++) counter[k] = (uint64_t *)(void *)(seg(home_of(k)) + 64 * k);
  ticket = (uint64_t *)(void *)(seg(0) + 64 * LOCKS);
  named(1);

  /* Objects on random ranks, each filled by relaxed puts and read back by gets of another kind. */
  state = 12345 + me;
  for (k = 0; k < OBJECTS; k++) {
    unsigned n = (unsigned)(rnd(&state) % 5000) + 1;
    char bytes[5000];
    object[k].rank = (gasnet_node_t)(rnd(&state) % nranks);
    object[k].n = n;
    object[k].at = (char *)alloc_on(object[k].rank, n);
    MUST(object[k].at != NULL);
    CHECK((uintptr_t)object[k].at >= (uintptr_t)seg(object[k].rank) && (uintptr_t)object[k].at + n <= (uintptr_t)seg(object[k].rank) + seg_size(object[k].rank));
    fill(bytes, n, me * 1000 + (unsigned)k);
    if (k % 3 == 0) gasnet_put_bulk(object[k].rank, object[k].at, bytes, n);
    else if (k % 3 == 1) gasnet_put_nbi(object[k].rank, object[k].at, bytes, n); /* the source dies with the block */
    else gasnet_wait_syncnb(gasnet_put_nb_bulk(object[k].rank, object[k].at, bytes, n));
  }
  gasnet_wait_syncnbi_puts();
  named(2);
  for (k = 0; k < OBJECTS; k++) {
    char bytes[5000];
    gasnet_get_nbi_bulk(bytes, object[k].rank, object[k].at, object[k].n);
    gasnet_wait_syncnbi_gets();
    CHECK(filled(bytes, object[k].n, me * 1000 + (unsigned)k));
  }

  /* Strict read-modify-write under each lock in turn: nothing is lost. */
  for (k = 0; k < TURNS; k++) {
    int id = (int)((me + (unsigned)k) % LOCKS);
    lock(id);
    gasnet_put_val(home_of(id), counter[id], gasnet_get_val(home_of(id), counter[id], 8) + 1, 8);
    unlock(id);
  }
  for (i = 0; i < TURNS; i++) seen += fetch_add(0, ticket, 3);
  named(3);
  for (k = 0; k < LOCKS; k++) sum += gasnet_get_val(home_of(k), counter[k], 8);
  CHECK_EQ(sum, (uint64_t)TURNS * nranks);
  CHECK_EQ(gasnet_get_val(0, ticket, 8), (uint64_t)3 * TURNS * nranks);
  CHECK(seen % 3 == 0);
  for (r = 0; r < nranks; r++) { /* a value broadcast the poor man's way */
    if (r == me) {
      gasnet_node_t to;
      for (to = 0; to < nranks; to++) gasnet_put_nbi_val(to, seg(to) + 64 * (LOCKS + 1), 77 + r, 4);
      gasnet_wait_syncnbi_all();
    }
    named(100 + (int)r);
    CHECK_EQ(*(volatile uint32_t *)(void *)(seg(me) + 64 * (LOCKS + 1)), 77 + r);
    named(200 + (int)r);
  }
  return check_end();
}
