/* How this translation unit uses the tools: with threads, without, or neutral (LITE); debug or not; versions. */
#ifndef GASNETI_TOOLS_CONFIG_H
#define GASNETI_TOOLS_CONFIG_H

/* Threads: declared by the client, implied by gasnet.h's mode, or by -pthread. */
#if defined(GASNETT_THREAD_SAFE) && defined(GASNETT_THREAD_SINGLE)
#error "define one of GASNETT_THREAD_SAFE and GASNETT_THREAD_SINGLE, not both"
#endif
#if defined(GASNET_PAR) && defined(GASNETT_THREAD_SINGLE)
#error "GASNET_PAR says that this file has threads, GASNETT_THREAD_SINGLE that it has not: define only one of them"
#endif
#ifdef GASNETT_LITE_MODE
#define GASNETT_THREAD_MODEL LITE
#define GASNETI_THREADS 1
#elif defined(GASNETT_THREAD_SAFE) || defined(GASNET_PAR) ||  \
    (!defined(GASNETT_THREAD_SINGLE) && !defined(GASNET_SEQ) && \
     (defined(GASNET_PARSYNC) || defined(_REENTRANT) || defined(_THREAD_SAFE)))
#ifndef GASNETT_THREAD_SAFE
#define GASNETT_THREAD_SAFE 1
#endif
#define GASNETT_THREAD_MODEL PAR
#define GASNETI_THREADS 1
#else
#ifndef GASNETT_THREAD_SINGLE
#define GASNETT_THREAD_SINGLE 1
#endif
#define GASNETT_THREAD_MODEL SEQ
#define GASNETI_THREADS 0
#ifndef GASNET_SEQ
#define GASNETI_TOOLS_WITHOUT_THREADS 1
#endif
#endif

#include <gasnet_config.h>
#include <gasneti/system.h>

#if GASNETI_THREADS
#define GASNETT_MAX_THREADS GASNETI_MAX_THREADS
#else
#define GASNETT_MAX_THREADS 1
#endif

#ifdef GASNET_DEBUG
#define GASNETT_DEBUG_CONFIG debug
#else
#define GASNETT_DEBUG_CONFIG nodebug
#ifndef GASNET_NDEBUG
#define GASNET_NDEBUG 1
#endif
#endif

/* -DGASNET_DEBUGMALLOC: gasnett_debug_malloc and its kin check. A debug client has it unless -DGASNET_NDEBUGMALLOC. */
#if defined(GASNET_DEBUGMALLOC) || (defined(GASNET_DEBUG) && !defined(GASNET_NDEBUGMALLOC))
#undef GASNET_DEBUGMALLOC
#define GASNET_DEBUGMALLOC 1
#undef GASNET_NDEBUGMALLOC
#define GASNETI_HEAP_CONFIG debugmalloc
#define GASNETI_HEAP_ID 1
#else
#undef GASNET_NDEBUGMALLOC
#define GASNET_NDEBUGMALLOC 1
#define GASNETI_HEAP_CONFIG nodebugmalloc
#define GASNETI_HEAP_ID 0
#endif

#define GASNETT_SPEC_VERSION_MAJOR GASNETI_TOOLS_SPEC_VERSION_MAJOR
#define GASNETT_SPEC_VERSION_MINOR GASNETI_TOOLS_SPEC_VERSION_MINOR
#define GASNETT_RELEASE_VERSION_MAJOR GASNET_RELEASE_VERSION_MAJOR
#define GASNETT_RELEASE_VERSION_MINOR GASNET_RELEASE_VERSION_MINOR
#define GASNETT_RELEASE_VERSION_PATCH GASNET_RELEASE_VERSION_PATCH

#define GASNETT_SYSTEM_TUPLE GASNETI_SYSTEM_TUPLE
#define GASNETT_CONFIGURE_ARGS GASNETI_CONFIGURE_ARGS
#define GASNETT_PLATFORM_COMPILER_FAMILYID PLATFORM_COMPILER_FAMILYID
#define GASNETT_PLATFORM_COMPILER_ID PLATFORM_COMPILER_ID
#define GASNETT_PLATFORM_COMPILER_VERSION PLATFORM_COMPILER_VERSION
#define GASNETT_PLATFORM_COMPILER_IDSTR PLATFORM_COMPILER_IDSTR
#define GASNETT_CACHE_LINE_BYTES GASNETI_CACHE_LINE_BYTES
#define GASNETT_PAGESIZE GASNETI_PAGESIZE
#define GASNETT_PAGESHIFT GASNETI_PAGESHIFT

#ifdef PLATFORM_ARCH_64
#define GASNETT_PTR_CONFIG 64bit
#else
#define GASNETT_PTR_CONFIG 32bit
#endif
#define GASNETT_TIMER_CONFIG timers_native
#define GASNETT_MEMBAR_CONFIG membars_native
#define GASNETT_ATOMIC_CONFIG atomics_native
#define GASNETT_ATOMIC32_CONFIG atomic32_native
#define GASNETT_ATOMIC64_CONFIG atomic64_native

#define GASNETT_CONFIG_STRING                                                                          \
  "RELEASE=" _STRINGIFY(GASNETI_RELEASE_VERSION) ",SPEC=" _STRINGIFY(GASNETT_SPEC_VERSION_MAJOR)       \
  "." _STRINGIFY(GASNETT_SPEC_VERSION_MINOR) ",PTR=" _STRINGIFY(GASNETT_PTR_CONFIG)                    \
  "," _STRINGIFY(GASNETT_DEBUG_CONFIG) "," _STRINGIFY(GASNETT_THREAD_MODEL)                            \
  "," _STRINGIFY(GASNETT_TIMER_CONFIG) "," _STRINGIFY(GASNETT_MEMBAR_CONFIG)                           \
  "," _STRINGIFY(GASNETT_ATOMIC_CONFIG) "," _STRINGIFY(GASNETT_ATOMIC32_CONFIG)                        \
  "," _STRINGIFY(GASNETT_ATOMIC64_CONFIG)

/* One library serves every configuration, so objects need no symbol per feature; the name is kept. */
#define GASNETT_LINKCONFIG_IDIOTCHECK(name) _CONCAT(gasnett_linkconfig_idiotcheck_, name)

/* Puts a text into the object file, where `ident` and launchers look for it. Neither the
   optimiser nor the linker's garbage collection nor link-time optimisation removes it. At global scope:
       GASNETT_IDENT(my_ident, "$MyVersion: 1.2 $"); */
#if GASNETT_USE_GCC_ATTRIBUTE_USED && GASNETI_HAS_ATTRIBUTE(__retain__)
#define GASNETI_KEPT __attribute__((__used__, __retain__))
#elif defined(__GNUC__)
#define GASNETI_KEPT __attribute__((__used__))
#else
#define GASNETI_KEPT
#endif
#define GASNETT_IDENT(identName, identText) static GASNETI_KEPT char const identName[] = identText

#endif
