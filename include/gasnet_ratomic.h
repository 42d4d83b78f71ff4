/* Remote atomics: atomic domains, and operations on numbers in other ranks' segments. The functions and their
   documentation are in gasneti/abi.h. If the target is mapped in this process, the operation is an inline processor
   instruction; otherwise, and in debug clients and with -DGASNETI_NO_INLINE, it is a call. */
#ifndef GASNET_RATOMIC_H
#define GASNET_RATOMIC_H

#include <gasnetex.h>

/* No atomic domain. */
#define GEX_AD_INVALID GASNETI_NULL(gex_AD_t)

#if !defined(GASNETI_SRCLINES) && !defined(GASNETI_NO_INLINE)

#ifdef __cplusplus
extern "C" {
#endif

/* For opcodes that are not compile-time constants: one function per type and translation unit. */
#define GASNETI_APART static __attribute__((__noinline__, __unused__))

/* Loads a value of 4 or 8 bytes that is constant during the lifetime of its object, so that compilers can hoist it out of loops,
   even though these contain atomic instructions. */
#if defined(__x86_64__)
#define GASNETI_UNCHANGING(to, at) __asm__("mov{ (%1), %0| %0, [%1]}" : "=r"(to) : "r"(at))
#elif defined(__aarch64__)
#define GASNETI_UNCHANGING(to, at)                                     \
  do {                                                                 \
    if (sizeof(to) == 8) __asm__("ldr %x0, [%1]" : "=r"(to) : "r"(at)); \
    else __asm__("ldr %w0, [%1]" : "=r"(to) : "r"(at));                \
  } while (0)
#else
#define GASNETI_UNCHANGING(to, at) ((to) = *(at))
#endif

/* Targets may have any effective type of their size. */
typedef uint32_t __attribute__((__may_alias__)) gasneti_word32_t;
typedef uint64_t __attribute__((__may_alias__)) gasneti_word64_t;

/* The index in gasneti_ad_t of the operations of a type. */
enum { GASNETI_AT_I32, GASNETI_AT_U32, GASNETI_AT_I64, GASNETI_AT_U64, GASNETI_AT_FLT, GASNETI_AT_DBL };

/* The operations that return the previous value. */
#define GASNETI_OP_FETCHES(op) ((op) >= GEX_OP_FAND)

/* Whether `op` of a type at `addr` of `rank` can be executed locally; then `*here` is the local address. Invalid calls
   are passed to the library function, which reports them. */
GASNETI_FAST int gasneti_ad_here(gex_AD_t ad, unsigned int type, gex_Rank_t rank, const void *addr, gex_OP_t op,
                                 gex_Flags_t flags, void **here) {
  const intptr_t *table;
  intptr_t bias;
  uint32_t ops, size;
  if (__builtin_expect(!ad, 0)) return 0;
  GASNETI_UNCHANGING(ops, &ad->ops[type]);
  if (__builtin_expect(!(ops & op) || (op & (op - 1)), 0)) return 0;
  if (flags & GEX_FLAG_RANK_IS_JOBRANK) {
    if (__builtin_expect(rank >= ad->job_size, 0)) return 0;
    bias = ad->by_jobrank[rank];
  } else {
    GASNETI_UNCHANGING(size, &ad->size);
    GASNETI_UNCHANGING(table, &ad->by_rank);
    /* Ranks outside the table are never looked up, not even speculatively. */
    GASNETI_UNCHANGING(bias, &table[rank < size ? rank : 0]);
    if (__builtin_expect(rank >= size, 0)) return 0;
  }
  if (__builtin_expect(!bias, 0)) return 0;
  *here = GASNETI_POINTER(void *, GASNETI_ADDRESS(addr) + GASNETI_NUMBER(uintptr_t, bias - 1));
  return 1;
}

/* Integers: an instruction, or a compare-and-exchange loop for operations without one. Arithmetic uses the unsigned type,
   which wraps; only MIN and MAX depend on the sign. Each is an acquire and a release in one order of all of them, whatever the flags
   say: on x86-64 that costs nothing. */
#define GASNETI_AD_INTEGER(code, type, word, linkage, name)                                          \
  linkage type name(void *here, gex_OP_t op, type op1, type op2) {                                   \
    word##_t *at = GASNETI_POINTER(word##_t *, here);                                                \
    word##_t next, found, with = GASNETI_NUMBER(word##_t, op1);                                      \
    switch (op) {                                                                                    \
      case GEX_OP_GET: return GASNETI_NUMBER(type, __atomic_load_n(at, __ATOMIC_SEQ_CST));           \
      case GEX_OP_SET:                                                                               \
      case GEX_OP_SWAP: return GASNETI_NUMBER(type, __atomic_exchange_n(at, with, __ATOMIC_SEQ_CST)); \
      case GEX_OP_ADD:                                                                               \
      case GEX_OP_FADD: return GASNETI_NUMBER(type, __atomic_fetch_add(at, with, __ATOMIC_SEQ_CST)); \
      case GEX_OP_SUB:                                                                               \
      case GEX_OP_FSUB: return GASNETI_NUMBER(type, __atomic_fetch_sub(at, with, __ATOMIC_SEQ_CST)); \
      case GEX_OP_INC:                                                                               \
      case GEX_OP_FINC: return GASNETI_NUMBER(type, __atomic_fetch_add(at, 1, __ATOMIC_SEQ_CST));    \
      case GEX_OP_DEC:                                                                               \
      case GEX_OP_FDEC: return GASNETI_NUMBER(type, __atomic_fetch_sub(at, 1, __ATOMIC_SEQ_CST));    \
      case GEX_OP_AND:                                                                               \
      case GEX_OP_FAND: return GASNETI_NUMBER(type, __atomic_fetch_and(at, with, __ATOMIC_SEQ_CST)); \
      case GEX_OP_OR:                                                                                \
      case GEX_OP_FOR: return GASNETI_NUMBER(type, __atomic_fetch_or(at, with, __ATOMIC_SEQ_CST));   \
      case GEX_OP_XOR:                                                                               \
      case GEX_OP_FXOR: return GASNETI_NUMBER(type, __atomic_fetch_xor(at, with, __ATOMIC_SEQ_CST)); \
      case GEX_OP_CAS:                                                                               \
      case GEX_OP_FCAS:                                                                              \
        found = with;                                                                                \
        (void)__atomic_compare_exchange_n(at, &found, GASNETI_NUMBER(word##_t, op2), 0, __ATOMIC_SEQ_CST, \
                                          __ATOMIC_SEQ_CST);                                         \
        return GASNETI_NUMBER(type, found);                                                          \
      default: break;                                                                                \
    }                                                                                                \
    found = __atomic_load_n(at, __ATOMIC_SEQ_CST);                                                   \
    do {                                                                                             \
      switch (op) {                                                                                  \
        case GEX_OP_MULT:                                                                            \
        case GEX_OP_FMULT: next = GASNETI_NUMBER(word##_t, found * with); break;                     \
        case GEX_OP_MIN:                                                                             \
        case GEX_OP_FMIN: next = GASNETI_NUMBER(type, found) < op1 ? found : with; break;            \
        case GEX_OP_MAX:                                                                             \
        case GEX_OP_FMAX: next = GASNETI_NUMBER(type, found) > op1 ? found : with; break;            \
        default: next = found; break;                                                                \
      }                                                                                              \
    } while (next != found &&                                                                        \
             !__atomic_compare_exchange_n(at, &found, next, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)); \
    return GASNETI_NUMBER(type, found);                                                              \
  }

/* Floating-point numbers: loads and exchanges operate on the bits, other operations use a compare-and-exchange loop. A
   CAS compares numbers, so that 0 equals -0. */
#define GASNETI_AD_FLOAT(code, type, word, linkage, name)                                             \
  linkage type name(void *here, gex_OP_t op, type op1, type op2) {                                    \
    word##_t *at = GASNETI_POINTER(word##_t *, here);                                                 \
    word##_t next, found;                                                                             \
    type old, result;                                                                                 \
    if (op == GEX_OP_SET || op == GEX_OP_SWAP) {                                                      \
      __builtin_memcpy(&next, &op1, sizeof next);                                                     \
      found = __atomic_exchange_n(at, next, __ATOMIC_SEQ_CST);                                        \
      __builtin_memcpy(&old, &found, sizeof old);                                                     \
      return old;                                                                                     \
    }                                                                                                 \
    found = __atomic_load_n(at, __ATOMIC_SEQ_CST);                                                    \
    do {                                                                                              \
      __builtin_memcpy(&old, &found, sizeof old);                                                     \
      switch (op) {                                                                                   \
        case GEX_OP_ADD:                                                                              \
        case GEX_OP_FADD: result = old + op1; break;                                                  \
        case GEX_OP_SUB:                                                                              \
        case GEX_OP_FSUB: result = old - op1; break;                                                  \
        case GEX_OP_MULT:                                                                             \
        case GEX_OP_FMULT: result = old * op1; break;                                                 \
        case GEX_OP_INC:                                                                              \
        case GEX_OP_FINC: result = old + 1; break;                                                    \
        case GEX_OP_DEC:                                                                              \
        case GEX_OP_FDEC: result = old - 1; break;                                                    \
        case GEX_OP_MIN:                                                                              \
        case GEX_OP_FMIN: result = old < op1 ? old : op1; break;                                      \
        case GEX_OP_MAX:                                                                              \
        case GEX_OP_FMAX: result = old > op1 ? old : op1; break;                                      \
        case GEX_OP_CAS:                                                                              \
        case GEX_OP_FCAS:                                                                             \
          if (old <= op1 && old >= op1) { /* equal, without a warning of -Wfloat-equal */             \
            result = op2;                                                                             \
            break;                                                                                    \
          }                                                                                           \
          return old;                                                                                 \
        default: return old;                                                                          \
      }                                                                                               \
      __builtin_memcpy(&next, &result, sizeof next);                                                  \
    } while (next != found &&                                                                         \
             !__atomic_compare_exchange_n(at, &found, next, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));  \
    return old;                                                                                       \
  }

/* Inline if the opcode is a constant, else by a function; stores the result only for fetching operations. */
#define GASNETI_AD_TYPE(kind, code, type, word)                                                                  \
  kind(code, type, word, GASNETI_FAST, gasneti_rmw_##code) kind(code, type, word, GASNETI_APART, gasneti_any_##code) \
  GASNETI_FAST int gasneti_fast_rmw_##code(gex_AD_t ad, type *result_p, gex_Rank_t tgt_rank, void *tgt_addr,     \
                                           gex_OP_t opcode, type operand1, type operand2, gex_Flags_t flags) {   \
    void *here;                                                                                                  \
    if (!gasneti_ad_here(ad, GASNETI_AT_##code, tgt_rank, tgt_addr, opcode, flags, &here)) return 0;             \
    if (!__builtin_constant_p(opcode)) {                                                                         \
      type found = gasneti_any_##code(here, opcode, operand1, operand2);                                         \
      if (GASNETI_OP_FETCHES(opcode)) *result_p = found;                                                         \
    } else if (GASNETI_OP_FETCHES(opcode)) {                                                                     \
      *result_p = gasneti_rmw_##code(here, opcode, operand1, operand2);                                          \
    } else {                                                                                                     \
      (void)gasneti_rmw_##code(here, opcode, operand1, operand2);                                                \
    }                                                                                                            \
    return 1;                                                                                                    \
  }                                                                                                              \
  GASNETI_FAST gex_Event_t gasneti_fast_AD_OpNB_##code(gex_AD_t ad, type *result_p, gex_Rank_t tgt_rank,         \
                                                       void *tgt_addr, gex_OP_t opcode, type operand1,           \
                                                       type operand2, gex_Flags_t flags) {                       \
    if (gasneti_fast_rmw_##code(ad, result_p, tgt_rank, tgt_addr, opcode, operand1, operand2, flags))            \
      return GASNETI_NULL(gex_Event_t);                                                                          \
    return (gex_AD_OpNB_##code)(ad, result_p, tgt_rank, tgt_addr, opcode, operand1, operand2, flags);            \
  }                                                                                                              \
  GASNETI_FAST int gasneti_fast_AD_OpNBI_##code(gex_AD_t ad, type *result_p, gex_Rank_t tgt_rank,                \
                                                void *tgt_addr, gex_OP_t opcode, type operand1, type operand2,   \
                                                gex_Flags_t flags) {                                             \
    if (gasneti_fast_rmw_##code(ad, result_p, tgt_rank, tgt_addr, opcode, operand1, operand2, flags)) return 0;  \
    return (gex_AD_OpNBI_##code)(ad, result_p, tgt_rank, tgt_addr, opcode, operand1, operand2, flags);           \
  }

GASNETI_AD_TYPE(GASNETI_AD_INTEGER, I32, int32_t, gasneti_word32)
GASNETI_AD_TYPE(GASNETI_AD_INTEGER, U32, uint32_t, gasneti_word32)
GASNETI_AD_TYPE(GASNETI_AD_INTEGER, I64, int64_t, gasneti_word64)
GASNETI_AD_TYPE(GASNETI_AD_INTEGER, U64, uint64_t, gasneti_word64)
GASNETI_AD_TYPE(GASNETI_AD_FLOAT, FLT, float, gasneti_word32)
GASNETI_AD_TYPE(GASNETI_AD_FLOAT, DBL, double, gasneti_word64)

#ifdef __cplusplus
}
#endif

#define gex_AD_OpNB_I32(...) gasneti_fast_AD_OpNB_I32(__VA_ARGS__)
#define gex_AD_OpNB_U32(...) gasneti_fast_AD_OpNB_U32(__VA_ARGS__)
#define gex_AD_OpNB_I64(...) gasneti_fast_AD_OpNB_I64(__VA_ARGS__)
#define gex_AD_OpNB_U64(...) gasneti_fast_AD_OpNB_U64(__VA_ARGS__)
#define gex_AD_OpNB_FLT(...) gasneti_fast_AD_OpNB_FLT(__VA_ARGS__)
#define gex_AD_OpNB_DBL(...) gasneti_fast_AD_OpNB_DBL(__VA_ARGS__)
#define gex_AD_OpNBI_I32(...) gasneti_fast_AD_OpNBI_I32(__VA_ARGS__)
#define gex_AD_OpNBI_U32(...) gasneti_fast_AD_OpNBI_U32(__VA_ARGS__)
#define gex_AD_OpNBI_I64(...) gasneti_fast_AD_OpNBI_I64(__VA_ARGS__)
#define gex_AD_OpNBI_U64(...) gasneti_fast_AD_OpNBI_U64(__VA_ARGS__)
#define gex_AD_OpNBI_FLT(...) gasneti_fast_AD_OpNBI_FLT(__VA_ARGS__)
#define gex_AD_OpNBI_DBL(...) gasneti_fast_AD_OpNBI_DBL(__VA_ARGS__)

#endif

#endif
