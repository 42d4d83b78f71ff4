/* Names of other GASNets that no document has and public programs use. gasnetex.h and gasnet_coll.h have the others. */
#ifndef GASNETI_TOOLS_COMPAT_H
#define GASNETI_TOOLS_COMPAT_H

/* The halves of a 64-bit word, which may be given as a pointer, and the word of two halves. */
#define GASNETI_HIWORD(word) GASNETI_NUMBER(uint32_t, GASNETI_BITS64(word) >> 32)
#define GASNETI_LOWORD(word) GASNETI_NUMBER(uint32_t, GASNETI_BITS64(word))
#define GASNETI_MAKEWORD(high, low) \
  (GASNETI_NUMBER(uint64_t, GASNETI_NUMBER(uint32_t, high)) << 32 | GASNETI_NUMBER(uint32_t, low))

GASNETI_INLINE const char *gasneti_gethostname(void) { return gasnett_gethostname(); }

/* Clients take the addresses of these two, so that compilers do not call them unused; they do nothing. */
GASNETI_INLINE void _gasneti_threadkey_init(void) {}
GASNETT_FORMAT_PRINTF(_gasnett_trace_printf_noop, 1, 2, static GASNETI_INLINE_KEYWORD void _gasnett_trace_printf_noop(const char *format, ...)) {
  (void)format;
}

#endif
