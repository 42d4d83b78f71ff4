/* Atomic 32- and 64-bit words. The strong ones are always atomic; the weak ones (gasnett_atomic_*,
   gasnett_atomic32_*, gasnett_atomic64_*) are plain loads and stores where the client has one thread.

   An x86-64 locked instruction is a full barrier on both sides, so there every read-modify-write satisfies every flag,
   and only set and read look at their flags. On other processors an atomic instruction is none: the barriers that the flags
   ask for are instructions before and after it. The words may be of another type to the client (int32_t, float,
   double, ...), hence the aliasing types. */
#ifndef GASNETI_TOOLS_ATOMIC_H
#define GASNETI_TOOLS_ATOMIC_H

#define GASNETT_ATOMIC_NONE 0x0
#define GASNETT_ATOMIC_RMB_PRE 0x1
#define GASNETT_ATOMIC_WMB_PRE 0x2
#define GASNETT_ATOMIC_MB_PRE (GASNETT_ATOMIC_RMB_PRE | GASNETT_ATOMIC_WMB_PRE)
#define GASNETT_ATOMIC_RMB_POST 0x4
#define GASNETT_ATOMIC_WMB_POST 0x8
#define GASNETT_ATOMIC_MB_POST (GASNETT_ATOMIC_RMB_POST | GASNETT_ATOMIC_WMB_POST)
#define GASNETT_ATOMIC_RMB_POST_IF_TRUE 0x10
#define GASNETT_ATOMIC_RMB_POST_IF_FALSE 0x20
#define GASNETT_ATOMIC_REL GASNETT_ATOMIC_WMB_PRE
#define GASNETT_ATOMIC_ACQ GASNETT_ATOMIC_RMB_POST
#define GASNETT_ATOMIC_ACQ_IF_TRUE GASNETT_ATOMIC_RMB_POST_IF_TRUE
#define GASNETT_ATOMIC_ACQ_IF_FALSE GASNETT_ATOMIC_RMB_POST_IF_FALSE

#define GASNETT_HAVE_ATOMIC_ADD_SUB 1
#define GASNETT_HAVE_ATOMIC_CAS 1
#define GASNETT_HAVE_STRONGATOMIC_ADD_SUB 1
#define GASNETT_HAVE_STRONGATOMIC_CAS 1

#define GASNETT_ATOMIC_MAX 0xffffffffU
#define GASNETT_ATOMIC_SIGNED_MIN (-2147483647 - 1)
#define GASNETT_ATOMIC_SIGNED_MAX 2147483647

/* clang-format off */
#define gasnett_atomic_init(v)         { GASNETI_NUMBER(uint32_t, v) }
#define gasnett_atomic32_init(v)       { GASNETI_NUMBER(uint32_t, v) }
#define gasnett_atomic64_init(v)       { GASNETI_NUMBER(uint64_t, v) }
#define gasnett_strongatomic_init(v)   { GASNETI_NUMBER(uint32_t, v) }
#define gasnett_strongatomic32_init(v) { GASNETI_NUMBER(uint32_t, v) }
#define gasnett_strongatomic64_init(v) { GASNETI_NUMBER(uint64_t, v) }
/* clang-format on */

#if defined(__GNUC__) && !defined(GASNETI_NO_INLINE)

typedef uint32_t __attribute__((__may_alias__)) gasneti_alias32_t;
typedef uint64_t __attribute__((__may_alias__)) gasneti_alias64_t;

GASNETI_INLINE void gasneti_fence_before(int flags) {
  if ((flags & GASNETT_ATOMIC_MB_PRE) == GASNETT_ATOMIC_MB_PRE) __atomic_thread_fence(__ATOMIC_SEQ_CST);
  else if (flags & GASNETT_ATOMIC_RMB_PRE) __atomic_thread_fence(__ATOMIC_ACQUIRE);
  else if (flags & GASNETT_ATOMIC_WMB_PRE) __atomic_thread_fence(__ATOMIC_RELEASE);
}
GASNETI_INLINE void gasneti_fence_after(int flags) {
  if ((flags & GASNETT_ATOMIC_MB_POST) == GASNETT_ATOMIC_MB_POST) __atomic_thread_fence(__ATOMIC_SEQ_CST);
  else if (flags & GASNETT_ATOMIC_RMB_POST) __atomic_thread_fence(__ATOMIC_ACQUIRE);
  else if (flags & GASNETT_ATOMIC_WMB_POST) __atomic_thread_fence(__ATOMIC_RELEASE);
}
#ifdef __x86_64__
#define GASNETI_EXCHANGE_IS_BARRIER 1
#else
#define GASNETI_EXCHANGE_IS_BARRIER 0
#endif
/* Around a read-modify-write. */
GASNETI_INLINE void gasneti_rmw_begins(int flags) {
  if (!GASNETI_EXCHANGE_IS_BARRIER) gasneti_fence_before(flags);
}
GASNETI_INLINE void gasneti_rmw_ends(int flags) {
  if (GASNETI_EXCHANGE_IS_BARRIER) return;
  if (flags & (GASNETT_ATOMIC_RMB_POST_IF_TRUE | GASNETT_ATOMIC_RMB_POST_IF_FALSE)) flags |= GASNETT_ATOMIC_RMB_POST;
  gasneti_fence_after(flags);
}
GASNETI_INLINE int32_t gasneti_fast_atomic_signed(uint32_t v) { return GASNETI_NUMBER(int32_t, v); }
#define gasnett_atomic_signed(v) gasneti_fast_atomic_signed(v)


GASNETI_INLINE void gasneti_fast_strong32_set(gasnett_strongatomic32_t *p, uint32_t v, int flags) {
  gasneti_alias32_t *word = GASNETI_POINTER(gasneti_alias32_t *, p);
  if (GASNETI_EXCHANGE_IS_BARRIER && ((flags & GASNETT_ATOMIC_MB_PRE) == GASNETT_ATOMIC_MB_PRE ||
                                      (flags & GASNETT_ATOMIC_MB_POST) == GASNETT_ATOMIC_MB_POST)) {
    (void)__atomic_exchange_n(word, v, __ATOMIC_SEQ_CST);
  } else {
    gasneti_fence_before(flags);
    __atomic_store_n(word, v, __ATOMIC_RELAXED);
    gasneti_fence_after(flags);
  }
}
GASNETI_INLINE uint32_t gasneti_fast_strong32_read(gasnett_strongatomic32_t *p, int flags) {
  uint32_t v;
  gasneti_fence_before(flags);
  v = __atomic_load_n(GASNETI_POINTER(gasneti_alias32_t *, p), __ATOMIC_RELAXED);
  gasneti_fence_after(flags);
  return v;
}
GASNETI_INLINE uint32_t gasneti_fast_strong32_add(gasnett_strongatomic32_t *p, uint32_t op, int flags) {
  uint32_t v;
  gasneti_rmw_begins(flags);
  v = __atomic_add_fetch(GASNETI_POINTER(gasneti_alias32_t *, p), op, __ATOMIC_SEQ_CST);
  gasneti_rmw_ends(flags);
  return v;
}
GASNETI_INLINE uint32_t gasneti_fast_strong32_subtract(gasnett_strongatomic32_t *p, uint32_t op, int flags) {
  uint32_t v;
  gasneti_rmw_begins(flags);
  v = __atomic_sub_fetch(GASNETI_POINTER(gasneti_alias32_t *, p), op, __ATOMIC_SEQ_CST);
  gasneti_rmw_ends(flags);
  return v;
}
GASNETI_INLINE void gasneti_fast_strong32_increment(gasnett_strongatomic32_t *p, int flags) { (void)gasneti_fast_strong32_add(p, 1, flags); }
GASNETI_INLINE void gasneti_fast_strong32_decrement(gasnett_strongatomic32_t *p, int flags) { (void)gasneti_fast_strong32_subtract(p, 1, flags); }
GASNETI_INLINE int gasneti_fast_strong32_decrement_and_test(gasnett_strongatomic32_t *p, int flags) {
  return gasneti_fast_strong32_subtract(p, 1, flags) == 0;
}
GASNETI_INLINE int gasneti_fast_strong32_compare_and_swap(gasnett_strongatomic32_t *p, uint32_t oldval, uint32_t newval, int flags) {
  int done;
  gasneti_rmw_begins(flags);
  done = __atomic_compare_exchange_n(GASNETI_POINTER(gasneti_alias32_t *, p), &oldval, newval, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  gasneti_rmw_ends(flags);
  return done;
}
GASNETI_INLINE uint32_t gasneti_fast_strong32_swap(gasnett_strongatomic32_t *p, uint32_t newval, int flags) {
  uint32_t v;
  gasneti_rmw_begins(flags);
  v = __atomic_exchange_n(GASNETI_POINTER(gasneti_alias32_t *, p), newval, __ATOMIC_SEQ_CST);
  gasneti_rmw_ends(flags);
  return v;
}


GASNETI_INLINE void gasneti_fast_strong64_set(gasnett_strongatomic64_t *p, uint64_t v, int flags) {
  gasneti_alias64_t *word = GASNETI_POINTER(gasneti_alias64_t *, p);
  if (GASNETI_EXCHANGE_IS_BARRIER && ((flags & GASNETT_ATOMIC_MB_PRE) == GASNETT_ATOMIC_MB_PRE ||
                                      (flags & GASNETT_ATOMIC_MB_POST) == GASNETT_ATOMIC_MB_POST)) {
    (void)__atomic_exchange_n(word, v, __ATOMIC_SEQ_CST);
  } else {
    gasneti_fence_before(flags);
    __atomic_store_n(word, v, __ATOMIC_RELAXED);
    gasneti_fence_after(flags);
  }
}
GASNETI_INLINE uint64_t gasneti_fast_strong64_read(gasnett_strongatomic64_t *p, int flags) {
  uint64_t v;
  gasneti_fence_before(flags);
  v = __atomic_load_n(GASNETI_POINTER(gasneti_alias64_t *, p), __ATOMIC_RELAXED);
  gasneti_fence_after(flags);
  return v;
}
GASNETI_INLINE uint64_t gasneti_fast_strong64_add(gasnett_strongatomic64_t *p, uint64_t op, int flags) {
  uint64_t v;
  gasneti_rmw_begins(flags);
  v = __atomic_add_fetch(GASNETI_POINTER(gasneti_alias64_t *, p), op, __ATOMIC_SEQ_CST);
  gasneti_rmw_ends(flags);
  return v;
}
GASNETI_INLINE uint64_t gasneti_fast_strong64_subtract(gasnett_strongatomic64_t *p, uint64_t op, int flags) {
  uint64_t v;
  gasneti_rmw_begins(flags);
  v = __atomic_sub_fetch(GASNETI_POINTER(gasneti_alias64_t *, p), op, __ATOMIC_SEQ_CST);
  gasneti_rmw_ends(flags);
  return v;
}
GASNETI_INLINE void gasneti_fast_strong64_increment(gasnett_strongatomic64_t *p, int flags) { (void)gasneti_fast_strong64_add(p, 1, flags); }
GASNETI_INLINE void gasneti_fast_strong64_decrement(gasnett_strongatomic64_t *p, int flags) { (void)gasneti_fast_strong64_subtract(p, 1, flags); }
GASNETI_INLINE int gasneti_fast_strong64_decrement_and_test(gasnett_strongatomic64_t *p, int flags) {
  return gasneti_fast_strong64_subtract(p, 1, flags) == 0;
}
GASNETI_INLINE int gasneti_fast_strong64_compare_and_swap(gasnett_strongatomic64_t *p, uint64_t oldval, uint64_t newval, int flags) {
  int done;
  gasneti_rmw_begins(flags);
  done = __atomic_compare_exchange_n(GASNETI_POINTER(gasneti_alias64_t *, p), &oldval, newval, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  gasneti_rmw_ends(flags);
  return done;
}
GASNETI_INLINE uint64_t gasneti_fast_strong64_swap(gasnett_strongatomic64_t *p, uint64_t newval, int flags) {
  uint64_t v;
  gasneti_rmw_begins(flags);
  v = __atomic_exchange_n(GASNETI_POINTER(gasneti_alias64_t *, p), newval, __ATOMIC_SEQ_CST);
  gasneti_rmw_ends(flags);
  return v;
}


#if !GASNETI_THREADS
/* One thread: the same operations from plain loads and stores, no fences. */


GASNETI_INLINE void gasneti_fast_weak32_set(gasnett_atomic32_t *p, uint32_t v, int flags) {
  (void)flags;
  __atomic_store_n(GASNETI_POINTER(gasneti_alias32_t *, p), v, __ATOMIC_RELAXED);
}
GASNETI_INLINE uint32_t gasneti_fast_weak32_read(gasnett_atomic32_t *p, int flags) {
  (void)flags;
  return __atomic_load_n(GASNETI_POINTER(gasneti_alias32_t *, p), __ATOMIC_RELAXED);
}
GASNETI_INLINE uint32_t gasneti_fast_weak32_add(gasnett_atomic32_t *p, uint32_t op, int flags) {
  uint32_t v = gasneti_fast_weak32_read(p, flags) + op;
  gasneti_fast_weak32_set(p, v, flags);
  return v;
}
GASNETI_INLINE uint32_t gasneti_fast_weak32_subtract(gasnett_atomic32_t *p, uint32_t op, int flags) {
  uint32_t v = gasneti_fast_weak32_read(p, flags) - op;
  gasneti_fast_weak32_set(p, v, flags);
  return v;
}
GASNETI_INLINE void gasneti_fast_weak32_increment(gasnett_atomic32_t *p, int flags) { (void)gasneti_fast_weak32_add(p, 1, flags); }
GASNETI_INLINE void gasneti_fast_weak32_decrement(gasnett_atomic32_t *p, int flags) { (void)gasneti_fast_weak32_subtract(p, 1, flags); }
GASNETI_INLINE int gasneti_fast_weak32_decrement_and_test(gasnett_atomic32_t *p, int flags) {
  return gasneti_fast_weak32_subtract(p, 1, flags) == 0;
}
GASNETI_INLINE int gasneti_fast_weak32_compare_and_swap(gasnett_atomic32_t *p, uint32_t oldval, uint32_t newval, int flags) {
  if (gasneti_fast_weak32_read(p, flags) != oldval) return 0;
  gasneti_fast_weak32_set(p, newval, flags);
  return 1;
}
GASNETI_INLINE uint32_t gasneti_fast_weak32_swap(gasnett_atomic32_t *p, uint32_t newval, int flags) {
  uint32_t v = gasneti_fast_weak32_read(p, flags);
  gasneti_fast_weak32_set(p, newval, flags);
  return v;
}


GASNETI_INLINE void gasneti_fast_weak64_set(gasnett_atomic64_t *p, uint64_t v, int flags) {
  (void)flags;
  __atomic_store_n(GASNETI_POINTER(gasneti_alias64_t *, p), v, __ATOMIC_RELAXED);
}
GASNETI_INLINE uint64_t gasneti_fast_weak64_read(gasnett_atomic64_t *p, int flags) {
  (void)flags;
  return __atomic_load_n(GASNETI_POINTER(gasneti_alias64_t *, p), __ATOMIC_RELAXED);
}
GASNETI_INLINE uint64_t gasneti_fast_weak64_add(gasnett_atomic64_t *p, uint64_t op, int flags) {
  uint64_t v = gasneti_fast_weak64_read(p, flags) + op;
  gasneti_fast_weak64_set(p, v, flags);
  return v;
}
GASNETI_INLINE uint64_t gasneti_fast_weak64_subtract(gasnett_atomic64_t *p, uint64_t op, int flags) {
  uint64_t v = gasneti_fast_weak64_read(p, flags) - op;
  gasneti_fast_weak64_set(p, v, flags);
  return v;
}
GASNETI_INLINE void gasneti_fast_weak64_increment(gasnett_atomic64_t *p, int flags) { (void)gasneti_fast_weak64_add(p, 1, flags); }
GASNETI_INLINE void gasneti_fast_weak64_decrement(gasnett_atomic64_t *p, int flags) { (void)gasneti_fast_weak64_subtract(p, 1, flags); }
GASNETI_INLINE int gasneti_fast_weak64_decrement_and_test(gasnett_atomic64_t *p, int flags) {
  return gasneti_fast_weak64_subtract(p, 1, flags) == 0;
}
GASNETI_INLINE int gasneti_fast_weak64_compare_and_swap(gasnett_atomic64_t *p, uint64_t oldval, uint64_t newval, int flags) {
  if (gasneti_fast_weak64_read(p, flags) != oldval) return 0;
  gasneti_fast_weak64_set(p, newval, flags);
  return 1;
}
GASNETI_INLINE uint64_t gasneti_fast_weak64_swap(gasnett_atomic64_t *p, uint64_t newval, int flags) {
  uint64_t v = gasneti_fast_weak64_read(p, flags);
  gasneti_fast_weak64_set(p, newval, flags);
  return v;
}


#define GASNETI_WEAK32(op) gasneti_fast_weak32_##op
#define GASNETI_WEAK64(op) gasneti_fast_weak64_##op
#else
#define GASNETI_WEAK32(op) gasneti_fast_strong32_##op
#define GASNETI_WEAK64(op) gasneti_fast_strong64_##op
#endif

/* Debug clients: an atomic word is aligned to its size. */
#ifdef GASNET_DEBUG
#define GASNETI_WORD(p, type, call) \
  GASNETI_POINTER(type *, gasneti_checked_word(GASNETI_POINTER(void *, GASNETI_ADDRESS(p)), sizeof(type), call, __FILE__, __LINE__))
#else
#define GASNETI_WORD(p, type, call) p
#endif

/* clang-format off */
#define gasnett_atomic_set(p, v, flags) GASNETI_WEAK32(set)(GASNETI_WORD(p, gasnett_atomic32_t, "gasnett_atomic_set"), v, flags)
#define gasnett_atomic_read(p, flags) GASNETI_WEAK32(read)(GASNETI_WORD(p, gasnett_atomic32_t, "gasnett_atomic_read"), flags)
#define gasnett_atomic_increment(p, flags) GASNETI_WEAK32(increment)(GASNETI_WORD(p, gasnett_atomic32_t, "gasnett_atomic_increment"), flags)
#define gasnett_atomic_decrement(p, flags) GASNETI_WEAK32(decrement)(GASNETI_WORD(p, gasnett_atomic32_t, "gasnett_atomic_decrement"), flags)
#define gasnett_atomic_decrement_and_test(p, flags) GASNETI_WEAK32(decrement_and_test)(GASNETI_WORD(p, gasnett_atomic32_t, "gasnett_atomic_decrement_and_test"), flags)
#define gasnett_atomic_add(p, op, flags) GASNETI_WEAK32(add)(GASNETI_WORD(p, gasnett_atomic32_t, "gasnett_atomic_add"), op, flags)
#define gasnett_atomic_subtract(p, op, flags) GASNETI_WEAK32(subtract)(GASNETI_WORD(p, gasnett_atomic32_t, "gasnett_atomic_subtract"), op, flags)
#define gasnett_atomic_compare_and_swap(p, oldval, newval, flags) GASNETI_WEAK32(compare_and_swap)(GASNETI_WORD(p, gasnett_atomic32_t, "gasnett_atomic_compare_and_swap"), oldval, newval, flags)
#define gasnett_atomic_swap(p, newval, flags) GASNETI_WEAK32(swap)(GASNETI_WORD(p, gasnett_atomic32_t, "gasnett_atomic_swap"), newval, flags)
#define gasnett_atomic32_set(p, v, flags) GASNETI_WEAK32(set)(GASNETI_WORD(p, gasnett_atomic32_t, "gasnett_atomic32_set"), v, flags)
#define gasnett_atomic32_read(p, flags) GASNETI_WEAK32(read)(GASNETI_WORD(p, gasnett_atomic32_t, "gasnett_atomic32_read"), flags)
#define gasnett_atomic32_increment(p, flags) GASNETI_WEAK32(increment)(GASNETI_WORD(p, gasnett_atomic32_t, "gasnett_atomic32_increment"), flags)
#define gasnett_atomic32_decrement(p, flags) GASNETI_WEAK32(decrement)(GASNETI_WORD(p, gasnett_atomic32_t, "gasnett_atomic32_decrement"), flags)
#define gasnett_atomic32_decrement_and_test(p, flags) GASNETI_WEAK32(decrement_and_test)(GASNETI_WORD(p, gasnett_atomic32_t, "gasnett_atomic32_decrement_and_test"), flags)
#define gasnett_atomic32_add(p, op, flags) GASNETI_WEAK32(add)(GASNETI_WORD(p, gasnett_atomic32_t, "gasnett_atomic32_add"), op, flags)
#define gasnett_atomic32_subtract(p, op, flags) GASNETI_WEAK32(subtract)(GASNETI_WORD(p, gasnett_atomic32_t, "gasnett_atomic32_subtract"), op, flags)
#define gasnett_atomic32_compare_and_swap(p, oldval, newval, flags) GASNETI_WEAK32(compare_and_swap)(GASNETI_WORD(p, gasnett_atomic32_t, "gasnett_atomic32_compare_and_swap"), oldval, newval, flags)
#define gasnett_atomic32_swap(p, newval, flags) GASNETI_WEAK32(swap)(GASNETI_WORD(p, gasnett_atomic32_t, "gasnett_atomic32_swap"), newval, flags)
#define gasnett_atomic64_set(p, v, flags) GASNETI_WEAK64(set)(GASNETI_WORD(p, gasnett_atomic64_t, "gasnett_atomic64_set"), v, flags)
#define gasnett_atomic64_read(p, flags) GASNETI_WEAK64(read)(GASNETI_WORD(p, gasnett_atomic64_t, "gasnett_atomic64_read"), flags)
#define gasnett_atomic64_increment(p, flags) GASNETI_WEAK64(increment)(GASNETI_WORD(p, gasnett_atomic64_t, "gasnett_atomic64_increment"), flags)
#define gasnett_atomic64_decrement(p, flags) GASNETI_WEAK64(decrement)(GASNETI_WORD(p, gasnett_atomic64_t, "gasnett_atomic64_decrement"), flags)
#define gasnett_atomic64_decrement_and_test(p, flags) GASNETI_WEAK64(decrement_and_test)(GASNETI_WORD(p, gasnett_atomic64_t, "gasnett_atomic64_decrement_and_test"), flags)
#define gasnett_atomic64_add(p, op, flags) GASNETI_WEAK64(add)(GASNETI_WORD(p, gasnett_atomic64_t, "gasnett_atomic64_add"), op, flags)
#define gasnett_atomic64_subtract(p, op, flags) GASNETI_WEAK64(subtract)(GASNETI_WORD(p, gasnett_atomic64_t, "gasnett_atomic64_subtract"), op, flags)
#define gasnett_atomic64_compare_and_swap(p, oldval, newval, flags) GASNETI_WEAK64(compare_and_swap)(GASNETI_WORD(p, gasnett_atomic64_t, "gasnett_atomic64_compare_and_swap"), oldval, newval, flags)
#define gasnett_atomic64_swap(p, newval, flags) GASNETI_WEAK64(swap)(GASNETI_WORD(p, gasnett_atomic64_t, "gasnett_atomic64_swap"), newval, flags)
#define gasnett_strongatomic_set(p, v, flags) gasneti_fast_strong32_set(GASNETI_WORD(p, gasnett_strongatomic32_t, "gasnett_strongatomic_set"), v, flags)
#define gasnett_strongatomic_read(p, flags) gasneti_fast_strong32_read(GASNETI_WORD(p, gasnett_strongatomic32_t, "gasnett_strongatomic_read"), flags)
#define gasnett_strongatomic_increment(p, flags) gasneti_fast_strong32_increment(GASNETI_WORD(p, gasnett_strongatomic32_t, "gasnett_strongatomic_increment"), flags)
#define gasnett_strongatomic_decrement(p, flags) gasneti_fast_strong32_decrement(GASNETI_WORD(p, gasnett_strongatomic32_t, "gasnett_strongatomic_decrement"), flags)
#define gasnett_strongatomic_decrement_and_test(p, flags) gasneti_fast_strong32_decrement_and_test(GASNETI_WORD(p, gasnett_strongatomic32_t, "gasnett_strongatomic_decrement_and_test"), flags)
#define gasnett_strongatomic_add(p, op, flags) gasneti_fast_strong32_add(GASNETI_WORD(p, gasnett_strongatomic32_t, "gasnett_strongatomic_add"), op, flags)
#define gasnett_strongatomic_subtract(p, op, flags) gasneti_fast_strong32_subtract(GASNETI_WORD(p, gasnett_strongatomic32_t, "gasnett_strongatomic_subtract"), op, flags)
#define gasnett_strongatomic_compare_and_swap(p, oldval, newval, flags) gasneti_fast_strong32_compare_and_swap(GASNETI_WORD(p, gasnett_strongatomic32_t, "gasnett_strongatomic_compare_and_swap"), oldval, newval, flags)
#define gasnett_strongatomic_swap(p, newval, flags) gasneti_fast_strong32_swap(GASNETI_WORD(p, gasnett_strongatomic32_t, "gasnett_strongatomic_swap"), newval, flags)
#define gasnett_strongatomic32_set(p, v, flags) gasneti_fast_strong32_set(GASNETI_WORD(p, gasnett_strongatomic32_t, "gasnett_strongatomic32_set"), v, flags)
#define gasnett_strongatomic32_read(p, flags) gasneti_fast_strong32_read(GASNETI_WORD(p, gasnett_strongatomic32_t, "gasnett_strongatomic32_read"), flags)
#define gasnett_strongatomic32_increment(p, flags) gasneti_fast_strong32_increment(GASNETI_WORD(p, gasnett_strongatomic32_t, "gasnett_strongatomic32_increment"), flags)
#define gasnett_strongatomic32_decrement(p, flags) gasneti_fast_strong32_decrement(GASNETI_WORD(p, gasnett_strongatomic32_t, "gasnett_strongatomic32_decrement"), flags)
#define gasnett_strongatomic32_decrement_and_test(p, flags) gasneti_fast_strong32_decrement_and_test(GASNETI_WORD(p, gasnett_strongatomic32_t, "gasnett_strongatomic32_decrement_and_test"), flags)
#define gasnett_strongatomic32_add(p, op, flags) gasneti_fast_strong32_add(GASNETI_WORD(p, gasnett_strongatomic32_t, "gasnett_strongatomic32_add"), op, flags)
#define gasnett_strongatomic32_subtract(p, op, flags) gasneti_fast_strong32_subtract(GASNETI_WORD(p, gasnett_strongatomic32_t, "gasnett_strongatomic32_subtract"), op, flags)
#define gasnett_strongatomic32_compare_and_swap(p, oldval, newval, flags) gasneti_fast_strong32_compare_and_swap(GASNETI_WORD(p, gasnett_strongatomic32_t, "gasnett_strongatomic32_compare_and_swap"), oldval, newval, flags)
#define gasnett_strongatomic32_swap(p, newval, flags) gasneti_fast_strong32_swap(GASNETI_WORD(p, gasnett_strongatomic32_t, "gasnett_strongatomic32_swap"), newval, flags)
#define gasnett_strongatomic64_set(p, v, flags) gasneti_fast_strong64_set(GASNETI_WORD(p, gasnett_strongatomic64_t, "gasnett_strongatomic64_set"), v, flags)
#define gasnett_strongatomic64_read(p, flags) gasneti_fast_strong64_read(GASNETI_WORD(p, gasnett_strongatomic64_t, "gasnett_strongatomic64_read"), flags)
#define gasnett_strongatomic64_increment(p, flags) gasneti_fast_strong64_increment(GASNETI_WORD(p, gasnett_strongatomic64_t, "gasnett_strongatomic64_increment"), flags)
#define gasnett_strongatomic64_decrement(p, flags) gasneti_fast_strong64_decrement(GASNETI_WORD(p, gasnett_strongatomic64_t, "gasnett_strongatomic64_decrement"), flags)
#define gasnett_strongatomic64_decrement_and_test(p, flags) gasneti_fast_strong64_decrement_and_test(GASNETI_WORD(p, gasnett_strongatomic64_t, "gasnett_strongatomic64_decrement_and_test"), flags)
#define gasnett_strongatomic64_add(p, op, flags) gasneti_fast_strong64_add(GASNETI_WORD(p, gasnett_strongatomic64_t, "gasnett_strongatomic64_add"), op, flags)
#define gasnett_strongatomic64_subtract(p, op, flags) gasneti_fast_strong64_subtract(GASNETI_WORD(p, gasnett_strongatomic64_t, "gasnett_strongatomic64_subtract"), op, flags)
#define gasnett_strongatomic64_compare_and_swap(p, oldval, newval, flags) gasneti_fast_strong64_compare_and_swap(GASNETI_WORD(p, gasnett_strongatomic64_t, "gasnett_strongatomic64_compare_and_swap"), oldval, newval, flags)
#define gasnett_strongatomic64_swap(p, newval, flags) gasneti_fast_strong64_swap(GASNETI_WORD(p, gasnett_strongatomic64_t, "gasnett_strongatomic64_swap"), newval, flags)
/* clang-format on */

#endif
#endif
