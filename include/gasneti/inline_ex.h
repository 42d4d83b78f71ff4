/* The inline fast paths of GASNet-EX's put, get, value and event tests, over the symbols of the same names, and helpers
   shared with those of GASNet-1. They read gasneti_hot and the head of a team and nothing else; each falls back to
   its symbol and must agree with it. Included by gasnetex.h after gasneti/abi.h. -DGASNETI_NO_INLINE leaves only the
   symbols, and so do -DGASNET_DEBUG clients, whose every call goes to its symbol. */
#ifndef GASNETI_INLINE_EX_H
#define GASNETI_INLINE_EX_H

#include <stddef.h>
#include <stdint.h>

#if !defined(GASNETI_SRCLINES) && !defined(GASNETI_NO_INLINE)

#define GASNETI_FAST static __inline__ __attribute__((__always_inline__, __unused__))

/* Release fence: earlier writes are visible before later accesses; no instruction on x86. */
GASNETI_FAST void gasneti_release(void) { __atomic_thread_fence(__ATOMIC_RELEASE); }

/* Acquire fence: later reads are not executed before earlier ones; no instruction on x86. */
GASNETI_FAST void gasneti_acquire(void) { __atomic_thread_fence(__ATOMIC_ACQUIRE); }

/* memcpy and memset under names that are unknown to the compiler: with zero bytes an address may be NULL, but the compiler
   would infer that it is not. Constant sizes use the builtins. */
#ifdef __cplusplus
extern "C" {
#endif
extern void *gasneti_memcpy(void *dest, const void *src, size_t nbytes) __asm__("memcpy");
extern void *gasneti_memset(void *dest, int val, size_t nbytes) __asm__("memset");
#ifdef __cplusplus
}
#endif
GASNETI_FAST void gasneti_copy(void *dest, const void *src, size_t nbytes) {
  if (__builtin_constant_p(nbytes)) {
    if (nbytes) __builtin_memcpy(dest, src, nbytes);
  } else if (nbytes == 8) {
    /* The most frequent size of a variable length; a call would take several times as long as the move. */
    __builtin_memcpy(dest, src, 8);
  } else {
    (void)gasneti_memcpy(dest, src, nbytes);
  }
}

GASNETI_FAST void gasneti_copy_out(void *here, const void *src, size_t nbytes) {
  gasneti_copy(here, src, nbytes);
  gasneti_release();
}

GASNETI_FAST void gasneti_copy_in(void *dest, const void *here, size_t nbytes) {
  gasneti_copy(dest, here, nbytes);
  gasneti_acquire();
}

/* ---- register values: constant sizes become one move */

GASNETI_FAST void gasneti_store(void *here, gex_RMA_Value_t value, size_t nbytes) {
  switch (nbytes) {
    case 1: __builtin_memcpy(here, &value, 1); break;
    case 2: __builtin_memcpy(here, &value, 2); break;
    case 4: __builtin_memcpy(here, &value, 4); break;
    case 8: __builtin_memcpy(here, &value, 8); break;
    default: __builtin_memcpy(here, &value, nbytes & 7); break;
  }
  gasneti_release();
}

GASNETI_FAST gex_RMA_Value_t gasneti_load(const void *here, size_t nbytes) {
  gex_RMA_Value_t value = 0;
  switch (nbytes) {
    case 1: __builtin_memcpy(&value, here, 1); break;
    case 2: __builtin_memcpy(&value, here, 2); break;
    case 4: __builtin_memcpy(&value, here, 4); break;
    case 8: __builtin_memcpy(&value, here, 8); break;
    default: __builtin_memcpy(&value, here, nbytes & 7); break;
  }
  gasneti_acquire();
  return value;
}

/* ---- GASNet-EX */

/* By the low 16 bits of a rank: 0 if its segment is not mapped here, or if another rank of the job has the same low bits, else 1 + the difference
   between the local and the owner's address. Only attach writes it; a compiler that reads it too early sees 0, which is correct, too, since it selects the symbol. */
#ifdef __cplusplus
extern "C"
#else
extern
#endif
const intptr_t gasneti_bias[65536];

/* The primordial team; its table is gasneti_bias. */
#ifdef __cplusplus
extern "C"
#else
extern
#endif
const gasneti_tm_t gasneti_tm0;

/* The address here of `there`, whose owner's segment is mapped here with `bias`. A client that defines GASNETE_GLOBAL_ADDRESS_CLIENT passes that
   address itself, which is not translated. */
#ifdef GASNETE_GLOBAL_ADDRESS_CLIENT
#define GASNETI_HERE(there, bias) GASNETI_POINTER(void *, GASNETI_ADDRESS(there))
#else
#define GASNETI_HERE(there, bias) GASNETI_POINTER(void *, GASNETI_ADDRESS(there) + GASNETI_NUMBER(uintptr_t, (bias) - 1))
#endif

/* Whether the segment of `rank` of `tm` is mapped here; then `*here` is the address of `there`. A rank outside the team, a
   destroyed team (it has no ranks) and a call that asserts that the rank is not in the nbrhd use the symbol; only a rank outside the
   primordial team whose low 16 bits are those of a rank that is mapped here is taken for that one. For the primordial team the test
   has no branches and reads only constants, so that compilers can hoist it out of loops. */
GASNETI_FAST int gasneti_tm_map(gex_TM_t tm, gex_Rank_t rank, const void *there, gex_Flags_t flags, void **here) {
  intptr_t bias = gasneti_bias[rank & 0xffff];
  int near = GASNETI_NUMBER(int, GASNETI_POINTER(const gasneti_tm_t *, tm) == &gasneti_tm0) &
             GASNETI_NUMBER(int, bias != 0);
  if (__builtin_constant_p(flags) && (flags & GEX_FLAG_PEER_NEVER_NBRHD)) return 0;
  if (__builtin_expect(!near, 0)) {
    if (!tm || rank >= tm->size) return 0;
    bias = tm->bias[rank];
    if (!bias) return 0;
  }
  *here = GASNETI_HERE(there, bias);
  return 1;
}

/* Whether `lc_opt` is the address of an event, not one of GEX_EVENT_NOW, GEX_EVENT_DEFER and GEX_EVENT_GROUP. */
GASNETI_FAST int gasneti_is_place(const gex_Event_t *lc_opt) { return GASNETI_ADDRESS(lc_opt) > 3; }

GASNETI_FAST int gasneti_fast_RMA_PutBlocking(gex_TM_t tm, gex_Rank_t rank, void *dest, const void *src, size_t nbytes,
                                              gex_Flags_t flags) {
  void *here;
  if (!gasneti_tm_map(tm, rank, dest, flags, &here)) return (gex_RMA_PutBlocking)(tm, rank, dest, src, nbytes, flags);
  gasneti_copy_out(here, src, nbytes);
  return 0;
}

GASNETI_FAST gex_Event_t gasneti_fast_RMA_PutNB(gex_TM_t tm, gex_Rank_t rank, void *dest, const void *src,
                                                size_t nbytes, gex_Event_t *lc_opt, gex_Flags_t flags) {
  void *here;
  if (!gasneti_tm_map(tm, rank, dest, flags, &here))
    return (gex_RMA_PutNB)(tm, rank, dest, src, nbytes, lc_opt, flags);
  gasneti_copy_out(here, src, nbytes);
  if (gasneti_is_place(lc_opt)) *lc_opt = GASNETI_NULL(gex_Event_t);
  return GASNETI_NULL(gex_Event_t);
}

GASNETI_FAST int gasneti_fast_RMA_PutNBI(gex_TM_t tm, gex_Rank_t rank, void *dest, const void *src, size_t nbytes,
                                         gex_Event_t *lc_opt, gex_Flags_t flags) {
  void *here;
  if (!gasneti_tm_map(tm, rank, dest, flags, &here))
    return (gex_RMA_PutNBI)(tm, rank, dest, src, nbytes, lc_opt, flags);
  gasneti_copy_out(here, src, nbytes);
  return 0;
}

GASNETI_FAST int gasneti_fast_RMA_GetBlocking(gex_TM_t tm, void *dest, gex_Rank_t rank, void *src, size_t nbytes,
                                              gex_Flags_t flags) {
  void *here;
  if (!gasneti_tm_map(tm, rank, src, flags, &here)) return (gex_RMA_GetBlocking)(tm, dest, rank, src, nbytes, flags);
  gasneti_copy_in(dest, here, nbytes);
  return 0;
}

GASNETI_FAST gex_Event_t gasneti_fast_RMA_GetNB(gex_TM_t tm, void *dest, gex_Rank_t rank, void *src, size_t nbytes,
                                                gex_Flags_t flags) {
  void *here;
  if (!gasneti_tm_map(tm, rank, src, flags, &here)) return (gex_RMA_GetNB)(tm, dest, rank, src, nbytes, flags);
  gasneti_copy_in(dest, here, nbytes);
  return GASNETI_NULL(gex_Event_t);
}

GASNETI_FAST int gasneti_fast_RMA_GetNBI(gex_TM_t tm, void *dest, gex_Rank_t rank, void *src, size_t nbytes,
                                         gex_Flags_t flags) {
  void *here;
  if (!gasneti_tm_map(tm, rank, src, flags, &here)) return (gex_RMA_GetNBI)(tm, dest, rank, src, nbytes, flags);
  gasneti_copy_in(dest, here, nbytes);
  return 0;
}

GASNETI_FAST int gasneti_fast_RMA_PutBlockingVal(gex_TM_t tm, gex_Rank_t rank, void *dest, gex_RMA_Value_t value,
                                                 size_t nbytes, gex_Flags_t flags) {
  void *here;
  if (!gasneti_tm_map(tm, rank, dest, flags, &here))
    return (gex_RMA_PutBlockingVal)(tm, rank, dest, value, nbytes, flags);
  gasneti_store(here, value, nbytes);
  return 0;
}

GASNETI_FAST gex_Event_t gasneti_fast_RMA_PutNBVal(gex_TM_t tm, gex_Rank_t rank, void *dest, gex_RMA_Value_t value,
                                                   size_t nbytes, gex_Flags_t flags) {
  void *here;
  if (!gasneti_tm_map(tm, rank, dest, flags, &here)) return (gex_RMA_PutNBVal)(tm, rank, dest, value, nbytes, flags);
  gasneti_store(here, value, nbytes);
  return GASNETI_NULL(gex_Event_t);
}

GASNETI_FAST int gasneti_fast_RMA_PutNBIVal(gex_TM_t tm, gex_Rank_t rank, void *dest, gex_RMA_Value_t value,
                                            size_t nbytes, gex_Flags_t flags) {
  void *here;
  if (!gasneti_tm_map(tm, rank, dest, flags, &here)) return (gex_RMA_PutNBIVal)(tm, rank, dest, value, nbytes, flags);
  gasneti_store(here, value, nbytes);
  return 0;
}

GASNETI_FAST gex_RMA_Value_t gasneti_fast_RMA_GetBlockingVal(gex_TM_t tm, gex_Rank_t rank, void *src, size_t nbytes,
                                                             gex_Flags_t flags) {
  void *here;
  if (!gasneti_tm_map(tm, rank, src, flags, &here)) return (gex_RMA_GetBlockingVal)(tm, rank, src, nbytes, flags);
  return gasneti_load(here, nbytes);
}

/* ---- events: GEX_EVENT_INVALID counts as complete */

GASNETI_FAST int gasneti_fast_Event_Test(gex_Event_t event) { return event ? (gex_Event_Test)(event) : 0; }

GASNETI_FAST void gasneti_fast_Event_Wait(gex_Event_t event) {
  if (event) (gex_Event_Wait)(event);
}

/* 0 if all of `n` handles or events are complete (invalid), else another value. */
GASNETI_FAST uintptr_t gasneti_pending(const gex_Event_t *handles, size_t n) {
  uintptr_t pending = 0;
  size_t i;
  for (i = 0; i < n; i++) pending |= GASNETI_ADDRESS(handles[i]);
  return pending;
}

GASNETI_FAST void gasneti_fast_Event_WaitAll(gex_Event_t *pevent, size_t numevents, gex_Flags_t flags) {
  if (flags || gasneti_hot.debug || gasneti_pending(pevent, numevents)) {
    (gex_Event_WaitAll)(pevent, numevents, flags);
  }
}

/* If all ranks' segments are mapped here, and no implicit operation was ever incomplete when its call returned. */
GASNETI_FAST int gasneti_fast_NBI_Test(gex_EC_t event_mask, gex_Flags_t flags) {
  return gasneti_hot.all_direct ? 0 : (gex_NBI_Test)(event_mask, flags);
}

GASNETI_FAST void gasneti_fast_NBI_Wait(gex_EC_t event_mask, gex_Flags_t flags) {
  if (!gasneti_hot.all_direct) (gex_NBI_Wait)(event_mask, flags);
}

#define gex_RMA_PutBlocking(...) gasneti_fast_RMA_PutBlocking(__VA_ARGS__)
#define gex_RMA_PutNB(...) gasneti_fast_RMA_PutNB(__VA_ARGS__)
#define gex_RMA_PutNBI(...) gasneti_fast_RMA_PutNBI(__VA_ARGS__)
#define gex_RMA_GetBlocking(...) gasneti_fast_RMA_GetBlocking(__VA_ARGS__)
#define gex_RMA_GetNB(...) gasneti_fast_RMA_GetNB(__VA_ARGS__)
#define gex_RMA_GetNBI(...) gasneti_fast_RMA_GetNBI(__VA_ARGS__)
#define gex_RMA_PutBlockingVal(...) gasneti_fast_RMA_PutBlockingVal(__VA_ARGS__)
#define gex_RMA_PutNBVal(...) gasneti_fast_RMA_PutNBVal(__VA_ARGS__)
#define gex_RMA_PutNBIVal(...) gasneti_fast_RMA_PutNBIVal(__VA_ARGS__)
#define gex_RMA_GetBlockingVal(...) gasneti_fast_RMA_GetBlockingVal(__VA_ARGS__)
#define gex_Event_Test(...) gasneti_fast_Event_Test(__VA_ARGS__)
#define gex_Event_Wait(...) gasneti_fast_Event_Wait(__VA_ARGS__)
#define gex_Event_WaitAll(...) gasneti_fast_Event_WaitAll(__VA_ARGS__)
#define gex_NBI_Test(...) gasneti_fast_NBI_Test(__VA_ARGS__)
#define gex_NBI_Wait(...) gasneti_fast_NBI_Wait(__VA_ARGS__)

#endif

#endif
