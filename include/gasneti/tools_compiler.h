/* Compiler annotations, each with a switch that the client may define to 0 or 1 before the first GASNet header.
   Also the small helpers that every other header here needs. */
#ifndef GASNETI_TOOLS_COMPILER_H
#define GASNETI_TOOLS_COMPILER_H

#include <gasnet_portable_platform.h>
#include <portable_inttypes.h>
#include <gasneti/casts.h>

#ifdef __cplusplus
#define GASNETT_BEGIN_EXTERNC extern "C" {
#define GASNETT_END_EXTERNC }
#define GASNETT_EXTERNC extern "C"
#define GASNETT_TENTATIVE_EXTERN extern "C"
#else
#define GASNETT_BEGIN_EXTERNC
#define GASNETT_END_EXTERNC
#define GASNETT_EXTERNC extern
#define GASNETT_TENTATIVE_EXTERN
#endif

#ifndef _STRINGIFY
#define _STRINGIFY_HELPER(x) #x
#define _STRINGIFY(x) _STRINGIFY_HELPER(x)
#endif
#ifndef _CONCAT
#define _CONCAT_HELPER(a, b) a##b
#define _CONCAT(a, b) _CONCAT_HELPER(a, b)
#endif

/* A compiler that does not support GNU C gets the safe, mostly empty forms. GASNETT_COMPILER_FORCE_MISMATCH asks
   for them from any compiler. */
#if defined(GASNETT_COMPILER_FORCE_MISMATCH) || !defined(__GNUC__)
#ifndef GASNETT_CONFIGURE_MISMATCH
#define GASNETT_CONFIGURE_MISMATCH 1
#endif
#define GASNETI_GNU_DIALECT 0
#else
#define GASNETI_GNU_DIALECT 1
#endif

#ifdef __has_attribute
#define GASNETI_HAS_ATTRIBUTE(x) __has_attribute(x)
#else
#define GASNETI_HAS_ATTRIBUTE(x) 0
#endif

#ifndef GASNETT_USE_GCC_ATTRIBUTE_ALWAYSINLINE
#define GASNETT_USE_GCC_ATTRIBUTE_ALWAYSINLINE GASNETI_GNU_DIALECT
#endif
#ifndef GASNETT_USE_GCC_ATTRIBUTE_NOINLINE
#define GASNETT_USE_GCC_ATTRIBUTE_NOINLINE GASNETI_GNU_DIALECT
#endif
#ifndef GASNETT_USE_GCC_ATTRIBUTE_MALLOC
#define GASNETT_USE_GCC_ATTRIBUTE_MALLOC GASNETI_GNU_DIALECT
#endif
#ifndef GASNETT_USE_GCC_ATTRIBUTE_WARNUNUSEDRESULT
#define GASNETT_USE_GCC_ATTRIBUTE_WARNUNUSEDRESULT GASNETI_GNU_DIALECT
#endif
#ifndef GASNETT_USE_GCC_ATTRIBUTE_USED
#define GASNETT_USE_GCC_ATTRIBUTE_USED GASNETI_GNU_DIALECT
#endif
#ifndef GASNETT_USE_GCC_ATTRIBUTE_UNUSED
#define GASNETT_USE_GCC_ATTRIBUTE_UNUSED GASNETI_GNU_DIALECT
#endif
#ifndef GASNETT_USE_GCC_ATTRIBUTE_MAYALIAS
#define GASNETT_USE_GCC_ATTRIBUTE_MAYALIAS GASNETI_GNU_DIALECT
#endif
#ifndef GASNETT_USE_GCC_ATTRIBUTE_NORETURN
#define GASNETT_USE_GCC_ATTRIBUTE_NORETURN GASNETI_GNU_DIALECT
#endif
#ifndef GASNETT_USE_GCC_ATTRIBUTE_PURE
#define GASNETT_USE_GCC_ATTRIBUTE_PURE GASNETI_GNU_DIALECT
#endif
#ifndef GASNETT_USE_GCC_ATTRIBUTE_CONST
#define GASNETT_USE_GCC_ATTRIBUTE_CONST GASNETI_GNU_DIALECT
#endif
#ifndef GASNETT_USE_GCC_ATTRIBUTE_HOT
#define GASNETT_USE_GCC_ATTRIBUTE_HOT GASNETI_GNU_DIALECT
#endif
#ifndef GASNETT_USE_GCC_ATTRIBUTE_COLD
#define GASNETT_USE_GCC_ATTRIBUTE_COLD GASNETI_GNU_DIALECT
#endif
#ifndef GASNETT_USE_GCC_ATTRIBUTE_DEPRECATED
#define GASNETT_USE_GCC_ATTRIBUTE_DEPRECATED GASNETI_GNU_DIALECT
#endif
#ifndef GASNETT_USE_GCC_ATTRIBUTE_FORMAT
#define GASNETT_USE_GCC_ATTRIBUTE_FORMAT GASNETI_GNU_DIALECT
#endif
#ifndef GASNETT_USE_GCC_ATTRIBUTE_FORMAT_FUNCPTR
#define GASNETT_USE_GCC_ATTRIBUTE_FORMAT_FUNCPTR GASNETI_GNU_DIALECT
#endif
#ifndef GASNETT_USE_GCC_ATTRIBUTE_FORMAT_FUNCPTR_ARG
#define GASNETT_USE_GCC_ATTRIBUTE_FORMAT_FUNCPTR_ARG GASNETI_GNU_DIALECT
#endif
#ifndef GASNETT_USE_GCC_ATTRIBUTE_FALLTHROUGH
#define GASNETT_USE_GCC_ATTRIBUTE_FALLTHROUGH (GASNETI_GNU_DIALECT && GASNETI_HAS_ATTRIBUTE(__fallthrough__))
#endif
#ifndef GASNETT_USE_BUILTIN_CONSTANT_P
#define GASNETT_USE_BUILTIN_CONSTANT_P GASNETI_GNU_DIALECT
#endif
#ifndef GASNETT_USE_BUILTIN_PREFETCH
#define GASNETT_USE_BUILTIN_PREFETCH GASNETI_GNU_DIALECT
#endif
#ifndef GASNETT_USE_BUILTIN_EXPECT
#define GASNETT_USE_BUILTIN_EXPECT GASNETI_GNU_DIALECT
#endif
#ifndef GASNETT_USE_BUILTIN_UNREACHABLE
#define GASNETT_USE_BUILTIN_UNREACHABLE GASNETI_GNU_DIALECT
#endif
#ifndef GASNETT_USE_PRAGMA_GCC_DIAGNOSTIC
#define GASNETT_USE_PRAGMA_GCC_DIAGNOSTIC GASNETI_GNU_DIALECT
#endif
#ifndef GASNETT_USE_CTYPE_WRAPPERS
#define GASNETT_USE_CTYPE_WRAPPERS 0
#endif

#if GASNETT_USE_GCC_ATTRIBUTE_ALWAYSINLINE && !defined(GASNET_DEBUG)
#define GASNETT_ALWAYS_INLINE __attribute__((__always_inline__))
#else
#define GASNETT_ALWAYS_INLINE
#endif
#if defined(__GNUC__)
#define GASNETI_INLINE_KEYWORD __inline__
#else
#define GASNETI_INLINE_KEYWORD inline
#endif
#define GASNETT_INLINE(fnname) static GASNETI_INLINE_KEYWORD GASNETT_ALWAYS_INLINE
#ifdef GASNETT_USE_PLEASE_INLINE
#define GASNETT_PLEASE_INLINE(fnname) GASNETT_USE_PLEASE_INLINE(fnname)
#else
#define GASNETT_PLEASE_INLINE(fnname) static GASNETI_INLINE_KEYWORD
#endif
#ifndef GASNETI_INLINE
#define GASNETI_INLINE GASNETT_INLINE(gasneti)
#define GASNETI_NORETURN GASNETT_NORETURN
#endif
#if GASNETT_USE_GCC_ATTRIBUTE_NOINLINE
#define GASNETT_NEVER_INLINE(fnname, declarator) __attribute__((__noinline__)) declarator
#else
#define GASNETT_NEVER_INLINE(fnname, declarator) declarator
#endif

#ifdef GASNETT_USE_RESTRICT
#define GASNETT_RESTRICT GASNETT_USE_RESTRICT
#elif GASNETI_GNU_DIALECT
#define GASNETT_RESTRICT __restrict__
#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 199901L
#define GASNETT_RESTRICT restrict
#else
#define GASNETT_RESTRICT
#endif

#if GASNETT_USE_GCC_ATTRIBUTE_FORMAT
#define GASNETT_FORMAT_PRINTF(fnname, fmtarg, firstvararg, declarator) \
  __attribute__((__format__(__printf__, fmtarg, firstvararg))) declarator
#else
#define GASNETT_FORMAT_PRINTF(fnname, fmtarg, firstvararg, declarator) declarator
#endif
#if GASNETT_USE_GCC_ATTRIBUTE_FORMAT_FUNCPTR
#define GASNETT_FORMAT_PRINTF_FUNCPTR(fnname, fmtarg, firstvararg, declarator) \
  __attribute__((__format__(__printf__, fmtarg, firstvararg))) declarator
#else
#define GASNETT_FORMAT_PRINTF_FUNCPTR(fnname, fmtarg, firstvararg, declarator) declarator
#endif

#if GASNETT_USE_GCC_ATTRIBUTE_NORETURN
#define GASNETT_NORETURN __attribute__((__noreturn__))
#else
#define GASNETT_NORETURN
#endif
#define GASNETT_NORETURNP(fnname)
#if GASNETT_USE_GCC_ATTRIBUTE_MALLOC
#define GASNETT_MALLOC __attribute__((__malloc__))
#else
#define GASNETT_MALLOC
#endif
#define GASNETT_MALLOCP(fnname)
#if GASNETT_USE_GCC_ATTRIBUTE_PURE
#define GASNETT_PURE __attribute__((__pure__))
#else
#define GASNETT_PURE
#endif
#define GASNETT_PUREP(fnname)
#if GASNETT_USE_GCC_ATTRIBUTE_CONST
#define GASNETT_CONST __attribute__((__const__))
#else
#define GASNETT_CONST
#endif
#define GASNETT_CONSTP(fnname)
#if GASNETT_USE_GCC_ATTRIBUTE_HOT
#define GASNETT_HOT __attribute__((__hot__))
#else
#define GASNETT_HOT
#endif
#if GASNETT_USE_GCC_ATTRIBUTE_COLD
#define GASNETT_COLD __attribute__((__cold__))
#else
#define GASNETT_COLD
#endif
#if GASNETT_USE_GCC_ATTRIBUTE_DEPRECATED
#define GASNETT_DEPRECATED __attribute__((__deprecated__))
#else
#define GASNETT_DEPRECATED
#endif
#if GASNETT_USE_GCC_ATTRIBUTE_WARNUNUSEDRESULT
#define GASNETT_WARN_UNUSED_RESULT __attribute__((__warn_unused_result__))
#else
#define GASNETT_WARN_UNUSED_RESULT
#endif
#if GASNETT_USE_GCC_ATTRIBUTE_USED
#define GASNETT_USED __attribute__((__used__))
#else
#define GASNETT_USED
#endif
#if GASNETT_USE_GCC_ATTRIBUTE_UNUSED
#define GASNETT_UNUSED __attribute__((__unused__))
#else
#define GASNETT_UNUSED
#endif

#if GASNETT_USE_BUILTIN_EXPECT
#define GASNETT_PREDICT_TRUE(expr) __builtin_expect(!!(expr), 1)
#define GASNETT_PREDICT_FALSE(expr) __builtin_expect(!!(expr), 0)
#else
#define GASNETT_PREDICT_TRUE(expr) (expr)
#define GASNETT_PREDICT_FALSE(expr) (expr)
#endif
#ifndef if_pf
#define if_pf(cond) if (GASNETT_PREDICT_FALSE(cond))
#endif
#ifndef if_pt
#define if_pt(cond) if (GASNETT_PREDICT_TRUE(cond))
#endif

/* Whether the compiler knows that 'expr' is a constant; 0 if it cannot be asked. */
#if GASNETT_USE_BUILTIN_CONSTANT_P
#define gasnett_constant_p(expr) __builtin_constant_p(expr)
#else
#define gasnett_constant_p(expr) 0
#endif
#if GASNETT_USE_BUILTIN_UNREACHABLE
#define GASNETI_UNREACHABLE() __builtin_unreachable()
#else
#define GASNETI_UNREACHABLE() ((void)0)
#endif
#ifdef GASNET_DEBUG
/* Tells the compiler that this statement is never reached; a debug client that reaches it ends with an error. */
#define gasnett_unreachable() gasnett_fatalerror("reached code that was declared unreachable")
/* Tells the compiler that 'cond' is true; a debug client in which it is false ends with an error. */
#define gasnett_assume(cond) ((cond) ? (void)0 : gasnett_fatalerror("assumption is false: %s", #cond))
#elif defined(GASNETT_USE_BUILTIN_ASSUME) && GASNETT_USE_BUILTIN_ASSUME
#define gasnett_unreachable() GASNETI_UNREACHABLE()
#define gasnett_assume(cond) __builtin_assume(cond)
#elif defined(GASNETT_USE_ASSUME) && GASNETT_USE_ASSUME
#define gasnett_unreachable() GASNETI_UNREACHABLE()
#define gasnett_assume(cond) __assume(cond)
#else
#define gasnett_unreachable() GASNETI_UNREACHABLE()
#define gasnett_assume(cond) ((cond) ? (void)0 : GASNETI_UNREACHABLE())
#endif

/* Placed after the last statement of a case, without a semicolon. */
#if defined(__cplusplus) && defined(GASNETT_USE_CXX11_ATTRIBUTE_FALLTHROUGH) && GASNETT_USE_CXX11_ATTRIBUTE_FALLTHROUGH
#define GASNETT_FALLTHROUGH [[fallthrough]];
#elif defined(__cplusplus) && defined(GASNETT_USE_CXX11_ATTRIBUTE_CLANG__FALLTHROUGH) && \
    GASNETT_USE_CXX11_ATTRIBUTE_CLANG__FALLTHROUGH
#define GASNETT_FALLTHROUGH [[clang::fallthrough]];
#elif GASNETT_USE_GCC_ATTRIBUTE_FALLTHROUGH
#define GASNETT_FALLTHROUGH __attribute__((__fallthrough__));
#else
#define GASNETT_FALLTHROUGH /* fall through */
#endif

/* Evaluates every argument once, for its effects. */
#define GASNETT_UNUSED_ARGS1(a1) ((void)(a1))
#define GASNETT_UNUSED_ARGS2(a1, a2) ((void)(a1), (void)(a2))
#define GASNETT_UNUSED_ARGS3(a1, a2, a3) ((void)(a1), (void)(a2), (void)(a3))
#define GASNETT_UNUSED_ARGS4(a1, a2, a3, a4) ((void)(a1), (void)(a2), (void)(a3), (void)(a4))
#define GASNETT_UNUSED_ARGS5(a1, a2, a3, a4, a5) ((void)(a1), (void)(a2), (void)(a3), (void)(a4), (void)(a5))
#define GASNETT_UNUSED_ARGS6(a1, a2, a3, a4, a5, a6) \
  ((void)(a1), (void)(a2), (void)(a3), (void)(a4), (void)(a5), (void)(a6))
#define GASNETT_UNUSED_ARGS7(a1, a2, a3, a4, a5, a6, a7) \
  ((void)(a1), (void)(a2), (void)(a3), (void)(a4), (void)(a5), (void)(a6), (void)(a7))
#define GASNETT_UNUSED_ARGS8(a1, a2, a3, a4, a5, a6, a7, a8) \
  ((void)(a1), (void)(a2), (void)(a3), (void)(a4), (void)(a5), (void)(a6), (void)(a7), (void)(a8))

#define GASNETT_CURRENT_FUNCTION __func__

#if GASNETT_USE_CTYPE_WRAPPERS
#include <ctype.h>
#define isalnum(c) (isalnum)((int)(c))
#define isalpha(c) (isalpha)((int)(c))
#define iscntrl(c) (iscntrl)((int)(c))
#define isdigit(c) (isdigit)((int)(c))
#define isgraph(c) (isgraph)((int)(c))
#define islower(c) (islower)((int)(c))
#define isprint(c) (isprint)((int)(c))
#define ispunct(c) (ispunct)((int)(c))
#define isspace(c) (isspace)((int)(c))
#define isupper(c) (isupper)((int)(c))
#define isxdigit(c) (isxdigit)((int)(c))
#define tolower(c) (tolower)((int)(c))
#define toupper(c) (toupper)((int)(c))
#endif

#endif
