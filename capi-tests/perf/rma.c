/* Put, get and memset in every form. The lengths 1, 2, 4 and 8 are constants in the calls, as they are in
   programs that move one variable. */
#include "perf.h"

#define WINDOW 64 /* operations under way at once in the forms that overlap them */

/* Defined by the build for a GASNet that has no memset. */
#ifndef PERF_NO_MEMSET
#define HAVE_MEMSET 1
#endif

/* `op` is a macro of the length; it names `peer`, `there`, `source` and `sink`. */
#define EACH(op, nbytes) \
  for (uint64_t i = 0; i < iters; i++) { op(nbytes); }
#define BEGIN(p) \
  const gasnet_node_t peer = (p)->peer; \
  const uint64_t iters = (p)->round->iters; \
  const size_t size = (p)->round->size; \
  char *const there = (p)->there, *const source = (p)->source, *const sink = (p)->sink; \
  (void)there, (void)source, (void)sink, (void)size; \
  if ((p)->role == TARGET) return
#define FOR_EACH(op) \
  do { \
    switch (size) { \
    case 1: EACH(op, 1) break; \
    case 2: EACH(op, 2) break; \
    case 4: EACH(op, 4) break; \
    case 8: EACH(op, 8) break; \
    default: EACH(op, size) \
    } \
  } while (0)
#define DEFINE(name, op, after) \
  static void name(const struct part *p) { \
    BEGIN(p); \
    FOR_EACH(op); \
    after; \
  }
#define NOTHING (void)0

#define PUT(n) gasnet_put(peer, there, source, n)
#define PUT_BULK(n) gasnet_put_bulk(peer, there, source, n)
#define PUT_NB(n) gasnet_wait_syncnb(gasnet_put_nb(peer, there, source, n))
#define PUT_NB_BULK(n) gasnet_wait_syncnb(gasnet_put_nb_bulk(peer, there, source, n))
#define PUT_NBI(n) gasnet_put_nbi(peer, there, source, n)
#define PUT_NBI_BULK(n) gasnet_put_nbi_bulk(peer, there, source, n)
#define GET(n) gasnet_get(sink, peer, there, n)
#define GET_BULK(n) gasnet_get_bulk(sink, peer, there, n)
#define GET_NB(n) gasnet_wait_syncnb(gasnet_get_nb(sink, peer, there, n))
#define GET_NB_BULK(n) gasnet_wait_syncnb(gasnet_get_nb_bulk(sink, peer, there, n))
#define GET_NBI(n) gasnet_get_nbi(sink, peer, there, n)
#define GET_NBI_BULK(n) gasnet_get_nbi_bulk(sink, peer, there, n)

DEFINE(put, PUT, NOTHING)
DEFINE(put_bulk, PUT_BULK, NOTHING)
DEFINE(put_nb, PUT_NB, NOTHING)
DEFINE(put_nb_bulk, PUT_NB_BULK, NOTHING)
DEFINE(put_nbi, PUT_NBI, gasnet_wait_syncnbi_puts())
DEFINE(put_nbi_bulk, PUT_NBI_BULK, gasnet_wait_syncnbi_puts())
DEFINE(get, GET, NOTHING)
DEFINE(get_bulk, GET_BULK, NOTHING)
DEFINE(get_nb, GET_NB, NOTHING)
DEFINE(get_nb_bulk, GET_NB_BULK, NOTHING)
DEFINE(get_nbi, GET_NBI, gasnet_wait_syncnbi_gets())
DEFINE(get_nbi_bulk, GET_NBI_BULK, gasnet_wait_syncnbi_gets())

/* Values: the size is always a constant in clients. */
#define VALUE_OF(p) (*(const gasnet_register_value_t *)(const void *)(p)->source)
#define PUT_VAL(n) gasnet_put_val(peer, there, value, n)
#define PUT_NB_VAL(n) gasnet_wait_syncnb(gasnet_put_nb_val(peer, there, value, n))
#define PUT_NBI_VAL(n) gasnet_put_nbi_val(peer, there, value, n)
#define GET_VAL(n) *use = gasnet_get_val(peer, there, n)
#define GET_NB_VAL(n) *use = gasnet_wait_syncnb_valget(gasnet_get_nb_val(peer, there, n))
#define DEFINE_VAL(name, op, after) \
  static void name(const struct part *p) { \
    const gasnet_register_value_t value = VALUE_OF(p); \
    BEGIN(p); \
    volatile gasnet_register_value_t *const use = (void *)sink; \
    (void)value, (void)use; \
    FOR_EACH(op); \
    after; \
  }
DEFINE_VAL(put_val, PUT_VAL, NOTHING)
DEFINE_VAL(put_nb_val, PUT_NB_VAL, NOTHING)
DEFINE_VAL(put_nbi_val, PUT_NBI_VAL, gasnet_wait_syncnbi_puts())
DEFINE_VAL(get_val, GET_VAL, NOTHING)
DEFINE_VAL(get_nb_val, GET_NB_VAL, NOTHING)

/* Many explicit handles under way, then one wait for all of them. */
#define DEFINE_WINDOW(name, start) \
  static void name(const struct part *p) { \
    gasnet_handle_t handles[WINDOW]; \
    BEGIN(p); \
    for (uint64_t left = iters; left > 0;) { \
      size_t n = left < WINDOW ? (size_t)left : WINDOW; \
      for (size_t i = 0; i < n; i++) handles[i] = start; \
      gasnet_wait_syncnb_all(handles, n); \
      left -= n; \
    } \
  }
DEFINE_WINDOW(put_nb_window, gasnet_put_nb_bulk(peer, there, source, size))
DEFINE_WINDOW(get_nb_window, gasnet_get_nb_bulk(sink, peer, there, size))

/* Sources that lie in `set_bytes` of memory, one behind the other, so that a network that pins memory meets each block again after all others. */
static void put_each_of(char *set, size_t blocks, const struct part *p) {
  static size_t filled_for[2], next[MAX_THREADS];
  gasnet_handle_t handles[WINDOW];
  const int in_segment = set != working_set;
  BEGIN(p);
  if (blocks == 0) die("a working set is at least one payload");
  if (filled_for[in_segment] != size) {
    for (size_t i = 0; i < blocks * size; i++) set[i] = (char)pattern(size, i % size);
    filled_for[in_segment] = size;
  }
  for (uint64_t left = iters; left > 0;) {
    size_t n = left < WINDOW ? (size_t)left : WINDOW;
    for (size_t i = 0; i < n; i++) {
      size_t *const at = &next[p->thread];
      *at = *at + 1 < blocks ? *at + 1 : 0;
      handles[i] = gasnet_put_nb_bulk(peer, there, set + *at * size, size);
    }
    gasnet_wait_syncnb_all(handles, n);
    left -= n;
  }
}
static void put_set(const struct part *p) { put_each_of(working_set, set_bytes / p->round->size, p); }
static void put_set_segment(const struct part *p) {
  put_each_of(segment_of[me] + pool * slot_bytes, set_bytes / p->round->size, p);
}

/* Each rank puts words to places that nobody can foresee, as in a table that all ranks update. The time is that of the last rank: where ranks share
   cores, another one's says in which order they ran. */
static void puts_random(const struct part *p) {
  enum { TOGETHER = 512 };
  uint64_t random = 0x9E3779B97F4A7C15u * (me + 1);
  const uint64_t words = slot_bytes / sizeof(uint64_t);
  for (uint64_t i = 0; i < p->round->iters; i++) {
    random ^= random << 13, random ^= random >> 7, random ^= random << 17;
    gasnet_node_t rank = (gasnet_node_t)((random >> 32) * nodes >> 32);
    uint64_t word = (random & UINT32_MAX) * words >> 32;
    gasnet_put_nbi_bulk(rank, segment_of[rank] + word * sizeof(uint64_t), p->source, sizeof(uint64_t));
    if (i % TOGETHER == TOGETHER - 1) gasnet_wait_syncnbi_puts();
  }
  gasnet_wait_syncnbi_puts();
  barrier();
}

/* Writes to pages of the peer that nobody has touched: once, so that its time is that of one run. */
static void first_touch(const struct part *p) {
  const size_t page = 4096;
  size_t pages = 0;
  uint64_t from = now_ns();
  if (me != 0 || nodes < 2) return;
  if (pool * slot_bytes + page > segment_bytes) die("first-touch needs a larger --segment");
  for (size_t at = pool * slot_bytes; at + page <= segment_bytes; at += page, pages++) gasnet_put(1, segment_of[1] + at, p->source, 8);
  report_value("first touch: a put to a page of 4 KiB", "ns", (double)(now_ns() - from) / (double)pages);
}

#ifdef HAVE_MEMSET
#define MEMSET(n) gasnet_memset(peer, there, FILL_BYTE, n)
#define MEMSET_NB(n) gasnet_wait_syncnb(gasnet_memset_nb(peer, there, FILL_BYTE, n))
#define MEMSET_NBI(n) gasnet_memset_nbi(peer, there, FILL_BYTE, n)
DEFINE(fill, MEMSET, NOTHING)
DEFINE(fill_nb, MEMSET_NB, NOTHING)
DEFINE(fill_nbi, MEMSET_NBI, gasnet_wait_syncnbi_puts())
#endif

#define PUTTING (SIZED | PUTS | ONE_WAY)
#define GETTING (SIZED | GETS | ONE_WAY)
const struct op rma_ops[] = {
  {"put", "gasnet_put", PUTTING, put},
  {"put-bulk", "gasnet_put_bulk", PUTTING, put_bulk},
  {"put-nb", "gasnet_put_nb, each waited for", PUTTING, put_nb},
  {"put-nb-bulk", "gasnet_put_nb_bulk, each waited for", PUTTING, put_nb_bulk},
  {"put-nb-window", "gasnet_put_nb_bulk, 64 at once", PUTTING, put_nb_window},
  {"put-nbi", "gasnet_put_nbi, one wait at the end", PUTTING, put_nbi},
  {"put-nbi-bulk", "gasnet_put_nbi_bulk, one wait at the end", PUTTING, put_nbi_bulk},
  {"put-set", "gasnet_put_nb_bulk, 64 at once, from a --working-set of private memory", PUTTING | UNASKED | PRIVATE_SET, put_set},
  {"put-set-segment", "the same from a --working-set in the segment", PUTTING | UNASKED | SEGMENT_SET, put_set_segment},
  {"put-val", "gasnet_put_val", PUTTING | VALUE, put_val},
  {"put-nb-val", "gasnet_put_nb_val, each waited for", PUTTING | VALUE, put_nb_val},
  {"put-nbi-val", "gasnet_put_nbi_val, one wait at the end", PUTTING | VALUE, put_nbi_val},
  {"get", "gasnet_get", GETTING, get},
  {"get-bulk", "gasnet_get_bulk", GETTING, get_bulk},
  {"get-nb", "gasnet_get_nb, each waited for", GETTING, get_nb},
  {"get-nb-bulk", "gasnet_get_nb_bulk, each waited for", GETTING, get_nb_bulk},
  {"get-nb-window", "gasnet_get_nb_bulk, 64 at once", GETTING, get_nb_window},
  {"get-nbi", "gasnet_get_nbi, one wait at the end", GETTING, get_nbi},
  {"get-nbi-bulk", "gasnet_get_nbi_bulk, one wait at the end", GETTING, get_nbi_bulk},
  {"get-val", "gasnet_get_val", GETTING | VALUE, get_val},
  {"get-nb-val", "gasnet_get_nb_val, each waited for", GETTING | VALUE, get_nb_val},
#ifdef HAVE_MEMSET
  {"memset", "gasnet_memset", SIZED | FILLS | ONE_WAY, fill},
  {"memset-nb", "gasnet_memset_nb, each waited for", SIZED | FILLS | ONE_WAY, fill_nb},
  {"memset-nbi", "gasnet_memset_nbi, one wait at the end", SIZED | FILLS | ONE_WAY, fill_nbi},
#endif
  {"puts-random", "gasnet_put_nbi_bulk of 8 bytes to random ranks and places, waited for by 512", EVERYONE | UNASKED, puts_random},
  {"first-touch", "gasnet_put to each untouched page of rank 1's segment", EVERYONE | TOTAL | UNASKED, first_touch},
  {NULL, NULL, 0, NULL},
};
