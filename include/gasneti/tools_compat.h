/* Undocumented names that public programs use; others are in gasnetex.h and gasnet_coll.h. */
#ifndef GASNETI_TOOLS_COMPAT_H
#define GASNETI_TOOLS_COMPAT_H

/* The halves of a 64-bit word, which may be given as a pointer, and the word of two halves. */
#define GASNETI_HIWORD(word) GASNETI_NUMBER(uint32_t, GASNETI_BITS64(word) >> 32)
#define GASNETI_LOWORD(word) GASNETI_NUMBER(uint32_t, GASNETI_BITS64(word))
#define GASNETI_MAKEWORD(high, low) \
  (GASNETI_NUMBER(uint64_t, GASNETI_NUMBER(uint32_t, high)) << 32 | GASNETI_NUMBER(uint32_t, low))

/* Ticks and thread keys under the names that some benchmarks use; gasnett_tick_t is the type of a tick. */
#define gasneti_ticks_now() gasnett_ticks_now()
#define gasneti_ticks_to_ns(ticks) gasnett_ticks_to_ns(ticks)
#define gasneti_ticks_to_us(ticks) gasnett_ticks_to_us(ticks)
#define GASNETI_THREADKEY_DECLARE(key) GASNETT_THREADKEY_DECLARE(key)
#define GASNETI_THREADKEY_DEFINE(key) GASNETT_THREADKEY_DEFINE(key)
#define gasneti_threadkey_get(key) gasnett_threadkey_get(key)
#define gasneti_threadkey_set(key, value) gasnett_threadkey_set(key, value)

GASNETI_INLINE const char *gasneti_gethostname(void) { return gasnett_gethostname(); }

/* Clients take the addresses of these two functions to avoid warnings about unused ones; they have no effect. */
GASNETI_INLINE void _gasneti_threadkey_init(void) {}
GASNETT_FORMAT_PRINTF(_gasnett_trace_printf_noop, 1, 2, static GASNETI_INLINE_KEYWORD void _gasnett_trace_printf_noop(const char *format, ...)) {
  (void)format;
}

#endif
