/* Scalar types and constants of GASNet-EX for a client's own headers: no mode has to be chosen, nothing else comes with
   it, and every name begins with gex_ or GEX_. gasnetex.h includes it. */
#ifndef _GEX_FWD_H
#define _GEX_FWD_H

#include <stdint.h>

/* A position in an ordered set of processes, or the size of one. */
typedef uint32_t gex_Rank_t;
/* The number of an endpoint in its process. */
typedef uint16_t gex_EP_Index_t;
typedef uint32_t gex_EP_Capabilities_t;
/* An address or, where flags say so, an offset. */
typedef void *gex_Addr_t;
/* An operation under way. */
typedef struct gasneti_op *gex_Event_t;
typedef uint32_t gex_Flags_t;
/* A data type of atomics and reductions, and an operation. */
typedef uint32_t gex_DT_t;
typedef uint32_t gex_OP_t;

#define GEX_RANK_INVALID ((gex_Rank_t)0xffffffffu)

/* ---- flags; bits mean different things to different calls */

/* Client_Init */
#define GEX_FLAG_USES_GASNET1 ((gex_Flags_t)1)
#define GEX_FLAG_DEFER_THREADS ((gex_Flags_t)2)

/* communication: only if that needs no waiting; what the caller knows of the peer */
#define GEX_FLAG_IMMEDIATE ((gex_Flags_t)1)
/* (clients compare these two in the preprocessor) */
#define GEX_FLAG_PEER_NEVER_NBRHD 0x4000u
#define GEX_FLAG_PEER_NEVER_SELF 0x8000u

/* what the caller knows of segments (assertions) */
#define GEX_FLAG_SELF_SEG_UNKNOWN ((gex_Flags_t)8)
#define GEX_FLAG_SELF_SEG_SOME ((gex_Flags_t)0x10)
#define GEX_FLAG_SELF_SEG_BOUND ((gex_Flags_t)0x20)
#define GEX_FLAG_SELF_SEG_OFFSET ((gex_Flags_t)0x40)
#define GEX_FLAG_PEER_SEG_UNKNOWN ((gex_Flags_t)0x80)
#define GEX_FLAG_PEER_SEG_SOME ((gex_Flags_t)0x100)
#define GEX_FLAG_PEER_SEG_BOUND ((gex_Flags_t)0x200)
#define GEX_FLAG_PEER_SEG_OFFSET ((gex_Flags_t)0x400)

/* handler table entries: category, and request or reply */
#define GEX_FLAG_AM_SHORT ((gex_Flags_t)1)
#define GEX_FLAG_AM_MEDIUM ((gex_Flags_t)2)
#define GEX_FLAG_AM_LONG ((gex_Flags_t)4)
#define GEX_FLAG_AM_MEDLONG ((gex_Flags_t)6)
#define GEX_FLAG_AM_REQUEST ((gex_Flags_t)8)
#define GEX_FLAG_AM_REPLY ((gex_Flags_t)0x10)
#define GEX_FLAG_AM_REQREP ((gex_Flags_t)0x18)

/* AM_Max*: the limit for least_payload of a Prepare with a client buffer, or with a buffer of the library's */
#define GEX_FLAG_AM_PREPARE_LEAST_CLIENT ((gex_Flags_t)0x800)
#define GEX_FLAG_AM_PREPARE_LEAST_ALLOC ((gex_Flags_t)0x1000)

/* VIS puts: local completion is visible */
#define GEX_FLAG_ENABLE_LEAF_LC ((gex_Flags_t)0x800)

/* remote atomics: of a domain, then of an operation */
#define GEX_FLAG_AD_FAVOR_MY_RANK ((gex_Flags_t)1)
#define GEX_FLAG_AD_FAVOR_MY_NBRHD ((gex_Flags_t)2)
#define GEX_FLAG_AD_FAVOR_REMOTE ((gex_Flags_t)4)
#define GEX_FLAG_AD_REL ((gex_Flags_t)2)
#define GEX_FLAG_AD_ACQ ((gex_Flags_t)4)
#define GEX_FLAG_AD_MY_RANK ((gex_Flags_t)0x800)
#define GEX_FLAG_AD_MY_NBRHD ((gex_Flags_t)0x1000)
#define GEX_FLAG_RANK_IS_JOBRANK ((gex_Flags_t)0x2000)

/* teams */
#define GEX_FLAG_TM_SCRATCH_SIZE_MIN ((gex_Flags_t)1)
#define GEX_FLAG_TM_SCRATCH_SIZE_RECOMMENDED ((gex_Flags_t)2)
#define GEX_FLAG_TM_GLOBAL_SCRATCH ((gex_Flags_t)4)
#define GEX_FLAG_TM_LOCAL_SCRATCH ((gex_Flags_t)8)
#define GEX_FLAG_TM_SYMMETRIC_SCRATCH ((gex_Flags_t)0x10)
#define GEX_FLAG_TM_NO_SCRATCH ((gex_Flags_t)0x20)
#define GEX_FLAG_SCRATCH_SEG_OFFSET ((gex_Flags_t)0x40)
#define GEX_FLAG_GLOBALLY_QUIESCED ((gex_Flags_t)0x2000)

/* endpoints */
#define GEX_FLAG_HINT_ACCEL_AD ((gex_Flags_t)1)
#define GEX_FLAG_HINT_ACCEL_COLL ((gex_Flags_t)2)
#define GEX_FLAG_HINT_ACCEL_ALL ((gex_Flags_t)3)
#define GEX_EP_CAPABILITY_RMA ((gex_EP_Capabilities_t)1)
#define GEX_EP_CAPABILITY_AM ((gex_EP_Capabilities_t)2)
#define GEX_EP_CAPABILITY_VIS ((gex_EP_Capabilities_t)4)
#define GEX_EP_CAPABILITY_COLL ((gex_EP_Capabilities_t)8)
#define GEX_EP_CAPABILITY_AD ((gex_EP_Capabilities_t)0x10)
#define GEX_EP_CAPABILITY_ALL ((gex_EP_Capabilities_t)0x1f)

/* ---- events */

#define GEX_EVENT_INVALID ((gex_Event_t)0)
/* Nothing was started; only with GEX_FLAG_IMMEDIATE. */
#define GEX_EVENT_NO_OP ((gex_Event_t)(uintptr_t)1)
/* In place of a gex_Event_t *: local completion before return, with the operation, with NBI. */
#define GEX_EVENT_NOW ((gex_Event_t *)(uintptr_t)1)
#define GEX_EVENT_DEFER ((gex_Event_t *)(uintptr_t)2)
#define GEX_EVENT_GROUP ((gex_Event_t *)(uintptr_t)3)

/* ---- types and operations of remote atomics and reductions */

#define GEX_DT_I32 ((gex_DT_t)1)
#define GEX_DT_U32 ((gex_DT_t)2)
#define GEX_DT_I64 ((gex_DT_t)4)
#define GEX_DT_U64 ((gex_DT_t)8)
#define GEX_DT_FLT ((gex_DT_t)0x10)
#define GEX_DT_DBL ((gex_DT_t)0x20)
#define GEX_DT_USER ((gex_DT_t)0x40)

#define GEX_OP_AND ((gex_OP_t)1)
#define GEX_OP_OR ((gex_OP_t)2)
#define GEX_OP_XOR ((gex_OP_t)4)
#define GEX_OP_ADD ((gex_OP_t)8)
#define GEX_OP_SUB ((gex_OP_t)0x10)
#define GEX_OP_MULT ((gex_OP_t)0x20)
#define GEX_OP_MIN ((gex_OP_t)0x40)
#define GEX_OP_MAX ((gex_OP_t)0x80)
#define GEX_OP_INC ((gex_OP_t)0x100)
#define GEX_OP_DEC ((gex_OP_t)0x200)
#define GEX_OP_SET ((gex_OP_t)0x400)
#define GEX_OP_CAS ((gex_OP_t)0x800)
#define GEX_OP_FAND ((gex_OP_t)0x8000)
#define GEX_OP_FOR ((gex_OP_t)0x10000)
#define GEX_OP_FXOR ((gex_OP_t)0x20000)
#define GEX_OP_FADD ((gex_OP_t)0x40000)
#define GEX_OP_FSUB ((gex_OP_t)0x80000)
#define GEX_OP_FMULT ((gex_OP_t)0x100000)
#define GEX_OP_FMIN ((gex_OP_t)0x200000)
#define GEX_OP_FMAX ((gex_OP_t)0x400000)
#define GEX_OP_FINC ((gex_OP_t)0x800000)
#define GEX_OP_FDEC ((gex_OP_t)0x1000000)
#define GEX_OP_SWAP ((gex_OP_t)0x2000000)
#define GEX_OP_FCAS ((gex_OP_t)0x4000000)
#define GEX_OP_GET ((gex_OP_t)0x8000000)
/* GEX_OP_FCAS by its old name */
#define GEX_OP_CSWAP GEX_OP_FCAS
#define GEX_OP_USER ((gex_OP_t)0x40000000)
#define GEX_OP_USER_NC ((gex_OP_t)0x80000000)
/* The fetching operation of a plain one, and back; SET pairs with SWAP. */
#define GEX_OP_TO_FETCHING(op) ((gex_OP_t)((gex_OP_t)(op) << 15))
#define GEX_OP_TO_NONFETCHING(op) ((gex_OP_t)((gex_OP_t)(op) >> 15))

#endif
