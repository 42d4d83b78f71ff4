/* GASNet-EX: clients, endpoints, segments, teams, Active Messages, one-sided communication, for one of the modes
   GASNET_SEQ, GASNET_PARSYNC and GASNET_PAR, which the client defines. gasnet.h adds the names of GASNet-1;
   gasnet_vis.h, gasnet_coll.h, gasnet_ratomic.h and gasnet_mk.h have the constants of their chapters. The functions and
   their documentation are in gasneti/abi.h. */
#ifndef _GASNETEX_H
#define _GASNETEX_H
#define _INCLUDED_GASNETEX_H 1

#ifdef _INCLUDED_GASNET_TOOLS_H
#error "include gasnetex.h or gasnet.h before gasnet_tools.h"
#endif

/* --- how this client is compiled ---------------------------------------------------------------------------- */

#if defined(GASNET_SEQ) + defined(GASNET_PARSYNC) + defined(GASNET_PAR) != 1
#error "define exactly one of GASNET_SEQ, GASNET_PARSYNC and GASNET_PAR"
#endif
#if defined(GASNET_SEQ)
#undef GASNET_SEQ
#define GASNET_SEQ 1
#define GASNETI_THREAD_MODEL SEQ
#define GASNETI_THREADS_ID 1
#elif defined(GASNET_PARSYNC)
#undef GASNET_PARSYNC
#define GASNET_PARSYNC 1
#define GASNETI_THREAD_MODEL PARSYNC
#define GASNETI_THREADS_ID 2
#else
#undef GASNET_PAR
#define GASNET_PAR 1
#define GASNETI_THREAD_MODEL PAR
#define GASNETI_THREADS_ID 3
#endif

#if defined(GASNET_SEGMENT_FAST) + defined(GASNET_SEGMENT_LARGE) + defined(GASNET_SEGMENT_EVERYTHING) > 1
#error "define at most one of GASNET_SEGMENT_FAST, GASNET_SEGMENT_LARGE and GASNET_SEGMENT_EVERYTHING"
#endif
#if defined(GASNET_SEGMENT_LARGE)
#undef GASNET_SEGMENT_LARGE
#define GASNET_SEGMENT_LARGE 1
#define GASNETI_SEGMENT_CONFIG LARGE
#define GASNETI_SEGMENT_ID 2
#elif defined(GASNET_SEGMENT_EVERYTHING)
#undef GASNET_SEGMENT_EVERYTHING
#define GASNET_SEGMENT_EVERYTHING 1
#define GASNETI_SEGMENT_CONFIG EVERYTHING
#define GASNETI_SEGMENT_ID 3
#else
#undef GASNET_SEGMENT_FAST
#define GASNET_SEGMENT_FAST 1
#define GASNETI_SEGMENT_CONFIG FAST
#define GASNETI_SEGMENT_ID 1
#endif

#ifdef GASNET_DEBUG
#undef GASNET_DEBUG
#define GASNET_DEBUG 1
#undef GASNET_NDEBUG
#define GASNETI_DEBUG_ID 1
#define GASNETI_DEBUG_CONFIG debug
#else
#undef GASNET_NDEBUG
#define GASNET_NDEBUG 1
#define GASNETI_DEBUG_ID 0
#define GASNETI_DEBUG_CONFIG nodebug
#endif

/* Each call records its file and line, for error messages and traces; no call is inline. */
#if defined(GASNET_DEBUG) || defined(GASNET_TRACE) || defined(GASNET_SRCLINES)
#define GASNETI_SRCLINES 1
#define GASNETI_SRCLINES_CONFIG srclines
#else
#define GASNETI_SRCLINES_CONFIG nosrclines
#endif

#include <gasneti/tools_compiler.h>
#include <gasneti/tools_config.h>
#include <gasneti_conduit.h>

/* --- versions and configuration ------------------------------------------------------------------------------ */

#define GEX_SPEC_VERSION_MAJOR GASNETI_EX_SPEC_VERSION_MAJOR
#define GEX_SPEC_VERSION_MINOR GASNETI_EX_SPEC_VERSION_MINOR
#define GASNET_MAXNODES 65535
#define GASNET_MAXEPS 64
#define GASNET_PAGESIZE GASNETI_PAGESIZE
#define GASNET_NULL_ARGV_OK 1
/* Ranks of one machine map each other's segments; gasnet_getNodeInfo returns which ranks and the offsets. Not with
   GASNET_SEGMENT_EVERYTHING, since all memory of a process cannot be mapped. */
#ifdef GASNET_SEGMENT_EVERYTHING
#define GASNETI_PSHM_CONFIG nopshm
#else
#define GASNET_PSHM 1
#define GASNETI_PSHM_ENABLED 1
#define GASNETI_PSHM_CONFIG pshm
#endif
/* Segments are aligned if the address space allows it, which is not guaranteed on every conduit. */
#define GASNET_ALIGNED_SEGMENTS 0

#define GASNET_CC_INLINE_MODIFIER static inline
#define GASNET_MPI_CC_INLINE_MODIFIER static inline
#define GASNET_SOCKLEN_T socklen_t

/* The configuration of this client. Tracing and statistics work in every program, regardless of GASNET_TRACE and GASNET_STATS. */
#define GASNET_CONFIG_STRING                                                                                      \
  "RELEASE=" _STRINGIFY(GASNETI_RELEASE_VERSION) ",SPEC=" _STRINGIFY(GEX_SPEC_VERSION_MAJOR) "." _STRINGIFY(        \
      GEX_SPEC_VERSION_MINOR) ",CONDUIT=" GASNET_CORE_NAME_STR "(" GASNET_CORE_NAME_STR                       \
      "-" GASNET_CORE_VERSION_STR "/" GASNET_EXTENDED_NAME_STR "-" GASNET_EXTENDED_VERSION_STR                    \
      "),THREADMODEL=" _STRINGIFY(GASNETI_THREAD_MODEL) ",SEGMENT=" _STRINGIFY(GASNETI_SEGMENT_CONFIG)           \
      ",PTR=" _STRINGIFY(GASNETT_PTR_CONFIG) ",noalign," _STRINGIFY(GASNETI_PSHM_CONFIG) "," _STRINGIFY(GASNETI_DEBUG_CONFIG) \
      ",trace,stats," _STRINGIFY(GASNETI_HEAP_CONFIG) "," \
      _STRINGIFY(GASNETI_SRCLINES_CONFIG) "," _STRINGIFY(GASNETT_TIMER_CONFIG) ","   \
      _STRINGIFY(GASNETT_MEMBAR_CONFIG) "," _STRINGIFY(GASNETT_ATOMIC_CONFIG) "," _STRINGIFY(GASNETT_ATOMIC32_CONFIG)   \
      "," _STRINGIFY(GASNETT_ATOMIC64_CONFIG)

/* --- error codes, flags -------------------------------------------------------------------------------------- */

#define GASNET_OK 0
#define GASNET_ERR_NOT_INIT 10001
#define GASNET_ERR_RESOURCE 10002
#define GASNET_ERR_BAD_ARG 10003
#define GASNET_ERR_NOT_READY 10004
#define GASNET_ERR_BARRIER_MISMATCH 10005

#define GASNET_BARRIERFLAG_ANONYMOUS 1
#define GASNET_BARRIERFLAG_MISMATCH 2
#define GASNET_BARRIERFLAG_IMAGES 4
#define GASNET_BARRIERFLAG_UNNAMED 9

#define GASNET_WAIT_SPIN 0
#define GASNET_WAIT_BLOCK 1
#define GASNET_WAIT_SPINBLOCK 2

#define SIZEOF_GEX_RMA_VALUE_T 8

/* --- types that cbindgen cannot express, then the functions --------------------------------------------------- */

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__) && !defined(__cplusplus)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wstrict-prototypes"
#endif
/* A handler table entry; index 0 requests any index. The function's parameters depend on its messages. */
typedef struct gasnet_handlerentry_t {
  uint8_t index;
#ifdef GASNET_USE_STRICT_PROTOTYPES
  void *fnptr;
#else
  void (*fnptr)();
#endif
} gasnet_handlerentry_t;
#if defined(__GNUC__) && !defined(__cplusplus)
#pragma GCC diagnostic pop
#endif

/* This thread, for GASNET_GET_THREADINFO. */
typedef void *gasnet_threadinfo_t;

#ifdef __cplusplus
}
#endif

#include <gasneti/ex_types.h>
#include <gasneti/abi.h>
#include <gasneti/layout.h>
#include <gasneti/am_arity_ex.h>

#ifdef __cplusplus
extern "C" {
#endif

extern gasneti_hot_t gasneti_hot;
extern volatile int gasnet_frozen;
extern uint64_t gasnet_max_segsize;
extern const char *gasnet_max_segsize_str;
extern void (*gasnet_client_attach_hook)(void *segbase, uintptr_t segsize);

/* --- the client record, which the library checks --------------------------------------------------------------- */

#ifdef __BASE_FILE__
#define GASNETI_BASE_FILE __BASE_FILE__
#else
#define GASNETI_BASE_FILE __FILE__
#endif
__attribute__((__used__, __section__("gasneti_client"), __aligned__(8)))
static gasneti_client_record_t gasneti_client_record = {
    GASNETI_ABI_NUMBER, GASNETI_THREADS_ID, GASNETI_DEBUG_ID, GASNETI_SEGMENT_ID, GASNETI_HEAP_ID, GASNETI_CONDUIT_ID, GASNETI_BASE_FILE};

/* The linker's bounds of that section in this program or shared object. */
extern const gasneti_client_record_t __start_gasneti_client[] __attribute__((__weak__, __visibility__("hidden")));
extern const gasneti_client_record_t __stop_gasneti_client[] __attribute__((__weak__, __visibility__("hidden")));

#define GASNETI_RECORDS __start_gasneti_client, __stop_gasneti_client

/* --- identification strings for launchers and build tools ------------------------------------------------------- */

/* They are contained in each object that initialises the library, and in no other, because tools count the strings of
   objects. A program with several such objects contains them once (a group of the linker), as does an object with
   several calls. */
extern const char gasneti_idents[] __attribute__((__visibility__("hidden")));
GASNETI_INLINE void gasneti_keep_idents(void) {
  __asm__ __volatile__(
      ".ifndef gasneti_idents\n"
      ".pushsection .rodata.gasneti_idents,\"aG\",@progbits,gasneti_idents,comdat\n"
      ".weak gasneti_idents\n.hidden gasneti_idents\n.type gasneti_idents,@object\n"
      "gasneti_idents:\n"
      ".asciz \"$GASNetConfig: (libgasnet.a) " GASNET_CONFIG_STRING " $\"\n"
      ".asciz \"$GASNetThreadModel: GASNET_" _STRINGIFY(GASNETI_THREAD_MODEL) " $\"\n"
      ".asciz \"$GASNetSegment: GASNET_SEGMENT_" _STRINGIFY(GASNETI_SEGMENT_CONFIG) " $\"\n"
      ".asciz \"$GASNetConduitName: " GASNET_CONDUIT_NAME_STR " $\"\n"
      ".size gasneti_idents,.-gasneti_idents\n"
      ".popsection\n"
      ".endif\n");
  /* A reference that keeps them if the linker drops unused sections. */
  __asm__ __volatile__("" : : "r"(gasneti_idents));
}

#ifdef GASNETI_SRCLINES
#define gex_Client_Init(...) \
  (gasneti_keep_idents(), gasneti_at(__FILE__, __LINE__), gasneti_Client_Init(__VA_ARGS__, GASNETI_RECORDS))
#else
#define gex_Client_Init(...) (gasneti_keep_idents(), gasneti_Client_Init(__VA_ARGS__, GASNETI_RECORDS))
#endif

/* --- waiting --------------------------------------------------------------------------------------------------- */

/* Polls, and so runs handlers, until 'cond' is true; evaluates it at least once. A thread that waits for long sleeps, as
   gasnet_set_waitmode says. Must not be called from a handler. */
#define GASNET_BLOCKUNTIL(cond)                                  \
  do {                                                           \
    if (!(cond)) {                                               \
      gasneti_wait_t gasneti_waiting = {{0, 0, 0, 0, 0, 0}, __FILE__, __LINE__}; \
      do gasneti_wait_step(&gasneti_waiting);                    \
      while (!(cond));                                           \
      gasneti_wait_end(&gasneti_waiting);                        \
    }                                                            \
    __atomic_thread_fence(__ATOMIC_ACQUIRE);                     \
  } while (0)
/* Executes the statement 'func' until 'cnd' is true. */
#define GASNET_BLOCKUNTIL2(func, cnd) \
  do {                                \
    while (!(cnd)) func;              \
  } while (0)

/* --- threads: names without effect, for clients that pass the thread around -------------------------------------- */

#define GASNET_GET_THREADINFO() gasneti_threadinfo()
#define GASNET_POST_THREADINFO(info) \
  gasnet_threadinfo_t gasneti_posted_threadinfo __attribute__((__unused__)) = (info)
#define GASNET_BEGIN_FUNCTION() typedef int gasneti_begin_function __attribute__((__unused__))
#define GASNETI_LAZY_BEGINFUNCTION 1
#define GASNETE_THREAD_GET
/* Set by clients that transfer only to or from other supernodes; without effect. */
#ifndef GASNETE_PUTGET_ALWAYSREMOTE
#define GASNETE_PUTGET_ALWAYSREMOTE 0
#endif
#define gasnete_threadinfo_cache GASNET_GET_THREADINFO()
/* Set by clients that pass addresses at which the memory of other ranks is mapped here: only the inline functions take these. */
#if defined(GASNETE_GLOBAL_ADDRESS_CLIENT) && (defined(GASNETI_SRCLINES) || defined(GASNETI_NO_INLINE))
#error "GASNETE_GLOBAL_ADDRESS_CLIENT needs the inline functions: it goes neither with GASNET_DEBUG nor with GASNETI_NO_INLINE"
#endif

/* --- handler-safe locks ----------------------------------------------------------------------------------------- */

/* The lock of both interfaces. */
#define GEX_HSL_INITIALIZER {0, GASNETI_HSL_READY}

#if !defined(GASNETI_SRCLINES) && !defined(GASNETI_NO_INLINE)
#ifdef GASNET_SEQ
/* Single-threaded: locks have no effect and cost no instruction. Clients compiled with -DGASNET_DEBUG call the functions, which check their use. */
GASNETI_INLINE void gasneti_fast_hsl_lock(gex_HSL_t *hsl) { (void)hsl; }
GASNETI_INLINE void gasneti_fast_hsl_unlock(gex_HSL_t *hsl) { (void)hsl; }
GASNETI_INLINE int gasneti_fast_hsl_trylock(gex_HSL_t *hsl) { return (void)hsl, GASNET_OK; }
#define gex_HSL_Lock(hsl) gasneti_fast_hsl_lock(hsl)
#define gex_HSL_Unlock(hsl) gasneti_fast_hsl_unlock(hsl)
#define gex_HSL_Trylock(hsl) gasneti_fast_hsl_trylock(hsl)
#endif
/* Rank and number of ranks: the same in both interfaces. */
GASNETI_INLINE gex_Rank_t gasneti_fast_mynode(void) { return gasneti_hot.mynode; }
GASNETI_INLINE gex_Rank_t gasneti_fast_nodes(void) { return gasneti_hot.nodes; }
#define gex_System_QueryJobRank() gasneti_fast_mynode()
#define gex_System_QueryJobSize() gasneti_fast_nodes()
#endif

/* Undocumented names that clients use. */
#define gasneti_mynode (gasneti_hot.mynode)
#define gasneti_nodes (gasneti_hot.nodes)
extern GASNETT_NORETURN GASNETT_FORMAT_PRINTF(gasneti_fatalerror, 1, 2, void gasneti_fatalerror(const char *format, ...));

#ifdef __cplusplus
}
#endif

#include <gasneti/inline_ex.h>
#include <gasneti/debug.h>

#endif
