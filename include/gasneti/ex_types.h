/* GASNet-EX constants, and types that cbindgen cannot express; gasnet_fwd.h and gasneti/abi.h have the others. */
#ifndef GASNETI_EX_TYPES_H
#define GASNETI_EX_TYPES_H

#include <gasnet_fwd.h>
#include <stddef.h>

/* ---- objects: handles whose content is private to the library; all-zero is invalid */

#define GEX_CLIENT_INVALID GASNETI_NULL(gex_Client_t)
#define GEX_EP_INVALID GASNETI_NULL(gex_EP_t)
#define GEX_SEGMENT_INVALID GASNETI_NULL(gex_Segment_t)
#define GEX_TM_INVALID GASNETI_NULL(gex_TM_t)
#define GEX_MK_INVALID GASNETI_NULL(gex_MK_t)
/* Memory of the host. */
#define GEX_MK_HOST GASNETI_POINTER(gex_MK_t, GASNETI_NUMBER(uintptr_t, 1))
/* Classes of memory kinds; no device class is supported (GASNET_HAVE_MK_CLASS_CUDA_UVA, _HIP, _ZE and _MULTIPLE are not
   defined). */
#define GASNET_HAVE_MK_CLASS_HOST 1
#define GEX_EP_INDEX_INVALID 0xffff
#define GEX_AM_SRCDESC_NO_OP GASNETI_NULL(gex_AM_SrcDesc_t)

/* ---- events */

/* Kinds of events; GEX_EC_PUT includes local completion. */
#define GEX_EC_PUT 3u
#define GEX_EC_LC 2u
#define GEX_EC_AM 2u
#define GEX_EC_GET 4u
#define GEX_EC_RMW 8u
#define GEX_EC_ALL 0xffffffffu

/* ---- Active Messages */

#define GEX_AM_INDEX_BASE 128
#define GEX_TI_SRCRANK 1u
#define GEX_TI_ENTRY 2u
#define GEX_TI_IS_REQ 4u
#define GEX_TI_IS_LONG 8u
#define GEX_TI_EP 16u
#define GEX_TI_ALL 31u
#define GASNET_SUPPORTS_TI_SRCRANK 1
#define GASNET_SUPPORTS_TI_EP 1
#define GASNET_SUPPORTS_TI_ENTRY 1
#define GASNET_SUPPORTS_TI_IS_REQ 1
#define GASNET_SUPPORTS_TI_IS_LONG 1
#define GASNET_SUPPORTS_AM_CANCEL 20240418
#define GASNET_SUPPORTS_AM_COMMIT_V2 20240906
#define GASNET_NATIVE_NP_ALLOC_REQ_MEDIUM 1
#define GASNET_NATIVE_NP_ALLOC_REP_MEDIUM 1
#ifdef GASNET_PAR
#define GASNET_HIDDEN_AM_CONCURRENCY_LEVEL 1
#else
#define GASNET_HIDDEN_AM_CONCURRENCY_LEVEL 0
#endif

#if defined(__GNUC__) && !defined(__cplusplus)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wstrict-prototypes"
#endif
/* A handler; its parameters depend on its messages. */
#ifdef GASNET_USE_STRICT_PROTOTYPES
typedef void *gex_AM_Fn_t;
#else
typedef void (*gex_AM_Fn_t)();
#endif
#if defined(__GNUC__) && !defined(__cplusplus)
#pragma GCC diagnostic pop
#endif

/* A handler table entry; index 0 requests any index. */
typedef struct gex_AM_Entry_t {
  uint8_t gex_index;
  gex_AM_Fn_t gex_fnptr;
  uint32_t gex_flags;
  unsigned int gex_nargs;
  const void *gex_cdata;
  const char *gex_name;
} gex_AM_Entry_t;

/* ---- progress threads */

#define GEX_THREAD_ROLE_RCV 1u
#define GEX_THREAD_ROLE_SND 2u
/* Every conduit is in the same library. It has a send thread, on udp, ucx and ofi. A receive thread runs handlers, from which
   the locks of GASNET_PAR clients alone protect. */
#define GASNET_SND_THREAD 1
#ifdef GASNET_PAR
#define GASNET_RCV_THREAD 1
#endif

#endif
