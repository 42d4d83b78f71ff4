/* The rest: counting zero bytes, values in memory, memory helpers, errors with their place, formatting. */
#ifndef GASNETI_TOOLS_MISC_H
#define GASNETI_TOOLS_MISC_H

#include <stdlib.h>
#include <string.h>

/* ---- errors and debuggers ---- */

GASNETT_BEGIN_EXTERNC
#ifndef _INCLUDED_GASNETEX_H
/* Where the next call comes from, for messages. */
extern void gasneti_at(const char *file, uint32_t line);
#endif
/* Ends the job with code 134 after a message, as printf formats it, with the caller's file and line. Does not return. */
extern GASNETT_NORETURN GASNETT_FORMAT_PRINTF(gasnett_fatalerror, 1, 2, void gasnett_fatalerror(const char *msg, ...));
/* As gasnett_fatalerror, without file and line. */
extern GASNETT_NORETURN GASNETT_FORMAT_PRINTF(gasnett_fatalerror_nopos, 1, 2,
                                              void gasnett_fatalerror_nopos(const char *msg, ...));
#ifndef _INCLUDED_GASNETEX_H
/* The library's self-tests, for programs that use gasnet.h too; documented in abi.h. */
struct gasnet_handlerentry_t;
struct gasnet_seginfo_t;
extern void gasnett_diagnostic_gethandlers(struct gasnet_handlerentry_t **htable, int *htable_cnt);
extern int gasnett_run_diagnostics(int iters, int threadcnt, const char *testsections,
                                   const struct gasnet_seginfo_t *seginfo);
#endif
GASNETT_END_EXTERNC

#ifdef _INCLUDED_GASNETEX_H
/* Both interfaces' forms of the self-tests: tables of either entry, 4 arguments or 8. */
#define gasnett_diagnostic_gethandlers(htable, cnt) \
  gasneti_diagnostic_gethandlers(GASNETI_POINTER(void **, htable), (cnt), sizeof(**(htable)))
#define GASNETI_PICK_9TH(a, b, c, d, e, f, g, h, i, ...) i
#define gasnett_run_diagnostics(...)                                                                               \
  GASNETI_PICK_9TH(__VA_ARGS__, gasneti_run_diagnostics_ex, , , , gasnett_run_diagnostics, )(__VA_ARGS__)
#endif

/* Clients ask #ifdef whether it is there. */
#define gasnett_fatalerror_nopos gasnett_fatalerror_nopos
#define gasnett_fatalerror(...) (gasneti_at(__FILE__, __LINE__), gasnett_fatalerror(__VA_ARGS__))

/* A char * from malloc that names this place. */
#define gasnett_current_loc gasneti_current_loc(GASNETT_CURRENT_FUNCTION, __FILE__, __LINE__)

#ifdef GASNET_DEBUG
#define gasnett_performance_warning_str() \
  "        debugging is enabled (-DGASNET_DEBUG): every call checks its arguments\n"
#endif

/* ---- zero bytes ---- */

#ifndef GASNETI_NO_INLINE
/* 0x80 in every byte that is zero, and nothing else; then the sum of those bits. */
GASNETI_INLINE int gasneti_fast_count0s_uint32_t(uint32_t x) {
  uint32_t zero = ~(((x & 0x7f7f7f7fu) + 0x7f7f7f7fu) | x | 0x7f7f7f7fu);
  return GASNETI_NUMBER(int, (zero >> 7) * 0x01010101u >> 24);
}
GASNETI_INLINE int gasneti_fast_count0s_uint64_t(uint64_t x) {
  uint64_t low = GASNETI_NUMBER(uint64_t, -1) / 255 * 0x7f;
  uint64_t zero = ~(((x & low) + low) | x | low);
  return GASNETI_NUMBER(int, (zero >> 7) * (GASNETI_NUMBER(uint64_t, -1) / 255) >> 56);
}
#define gasnett_count0s_uint32_t(x) gasneti_fast_count0s_uint32_t(x)
#define gasnett_count0s_uint64_t(x) gasneti_fast_count0s_uint64_t(x)
#define gasnett_count0s_uintptr_t(x) gasneti_fast_count0s_uint64_t(GASNETI_NUMBER(uint64_t, x))
#define gasnett_isLittleEndian() (1)
#endif

/* ---- values in memory ---- */

GASNETI_INLINE void gasneti_value_store(void *dst, uintptr_t value, size_t nbytes) { memcpy(dst, &value, nbytes); }
GASNETI_INLINE uintptr_t gasneti_value_load(const void *src, size_t nbytes) {
  uintptr_t value = 0;
  memcpy(&value, src, nbytes);
  return value;
}
/* Stores the low nbytes of value at dst; returns, from the enclosing function, the nbytes at src. */
#define GASNETT_VALUE_ASSIGN(dst, value, nbytes) gasneti_value_store(dst, GASNETI_NUMBER(uintptr_t, value), nbytes)
#define GASNETT_VALUE_RETURN(src, nbytes) return gasneti_value_load(src, nbytes)
#define GASNETT_FAST_ALIGNED_MEMCPY(dest, src, nbytes) memcpy(dest, src, nbytes)
#define GASNETT_FAST_UNALIGNED_MEMCPY(dest, src, nbytes) memcpy(dest, src, nbytes)

/* ---- memory ---- */

/* Returns 'sz' bytes at a multiple of 'align' bytes, a power of two; gasnett_free_aligned frees them. */
#define gasnett_malloc_aligned(align, sz) gasneti_malloc_aligned(align, sz)
#define gasnett_free_aligned(ptr) free(ptr)

#ifdef GASNET_DEBUGMALLOC
/* Blocks with guards; a write past an end, a second free and a free of no block end the job with both places. */
#define gasnett_debug_malloc(sz) gasneti_debug_malloc(sz, __FILE__, __LINE__)
#define gasnett_debug_calloc(N, S) gasneti_debug_calloc(N, S, __FILE__, __LINE__)
#define gasnett_debug_realloc(ptr, sz) gasneti_debug_realloc(ptr, sz, __FILE__, __LINE__)
#define gasnett_debug_free(ptr) gasneti_debug_free(ptr, __FILE__, __LINE__)
#define gasnett_debug_strdup(s) gasneti_debug_strndup(s, GASNETI_NUMBER(size_t, -1), __FILE__, __LINE__)
#define gasnett_debug_strndup(s, n) gasneti_debug_strndup(s, n, __FILE__, __LINE__)
#define gasnett_debug_memcheck(ptr) gasneti_debug_memcheck(ptr, __FILE__, __LINE__)
#define gasnett_debug_memcheck_one() gasneti_debug_memcheck_one(__FILE__, __LINE__)
#define gasnett_debug_memcheck_all() gasneti_debug_memcheck_all(__FILE__, __LINE__)
#define gasnett_heapinfo_dump(f, o) gasneti_heapinfo_dump(((void)(o), f))
#else
/* The heap is the system's, and nothing is checked. */
#define gasnett_debug_malloc(sz) malloc(sz)
#define gasnett_debug_calloc(N, S) calloc(N, S)
#define gasnett_debug_realloc(ptr, sz) realloc(ptr, sz)
#define gasnett_debug_free(ptr) free(ptr)
#define gasnett_debug_strdup(s) gasneti_strndup(s, GASNETI_NUMBER(size_t, -1))
#define gasnett_debug_strndup(s, n) gasneti_strndup(s, n)
#define gasnett_debug_memcheck(ptr) ((void)(ptr))
#define gasnett_debug_memcheck_one() ((void)0)
#define gasnett_debug_memcheck_all() ((void)0)
#define gasnett_heapinfo_dump(f, o) ((void)(f), (void)(o))
#endif
#define gasnett_getheapstats(pstat) gasneti_getheapstats(pstat)

/* ---- processors ---- */

#define GASNETT_SET_AFFINITY_SUPPORT 1
#define GASNETT_MTA_PRAGMA_EXPECT_ENABLED(x)
#define GASNETT_MTA_PRAGMA_EXPECT_DISABLED(x)

#endif
