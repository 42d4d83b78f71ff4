/* Scalar types and constants of GASNet-EX for headers of clients: requires no thread mode, includes nothing else, and all
   names begin with gex_ or GEX_. gasnetex.h includes it. The constants are literals of their types, without casts,
   because clients compare them in the preprocessor. */
#ifndef _GEX_FWD_H
#define _GEX_FWD_H

#include <stdint.h>
#include <gasneti/casts.h>

/* A position in an ordered set of processes, or the size of one. */
typedef uint32_t gex_Rank_t;
/* The number of an endpoint in its process. */
typedef uint16_t gex_EP_Index_t;
typedef uint32_t gex_EP_Capabilities_t;
/* An address or, according to flags, an offset. */
typedef void *gex_Addr_t;
/* An operation in flight. */
typedef struct gasneti_op *gex_Event_t;
typedef uint32_t gex_Flags_t;
/* A data type of atomics and reductions, and an operation. */
typedef uint32_t gex_DT_t;
typedef uint32_t gex_OP_t;

#define GEX_RANK_INVALID 0xffffffffu

/* ---- flags; the meaning of a bit depends on the call */

/* Client_Init */
#define GEX_FLAG_USES_GASNET1 1u
#define GEX_FLAG_DEFER_THREADS 2u

/* communication: do not block for resources; assertions about the peer */
#define GEX_FLAG_IMMEDIATE 1u
#define GEX_FLAG_PEER_NEVER_NBRHD 0x4000u
#define GEX_FLAG_PEER_NEVER_SELF 0x8000u

/* assertions about segments */
#define GEX_FLAG_SELF_SEG_UNKNOWN 8u
#define GEX_FLAG_SELF_SEG_SOME 0x10u
#define GEX_FLAG_SELF_SEG_BOUND 0x20u
#define GEX_FLAG_SELF_SEG_OFFSET 0x40u
#define GEX_FLAG_PEER_SEG_UNKNOWN 0x80u
#define GEX_FLAG_PEER_SEG_SOME 0x100u
#define GEX_FLAG_PEER_SEG_BOUND 0x200u
#define GEX_FLAG_PEER_SEG_OFFSET 0x400u

/* handler table entries: category, and request or reply */
#define GEX_FLAG_AM_SHORT 1u
#define GEX_FLAG_AM_MEDIUM 2u
#define GEX_FLAG_AM_LONG 4u
#define GEX_FLAG_AM_MEDLONG 6u
#define GEX_FLAG_AM_REQUEST 8u
#define GEX_FLAG_AM_REPLY 0x10u
#define GEX_FLAG_AM_REQREP 0x18u

/* AM_Max*: the limit for least_payload of a Prepare with a buffer of the client, or of the library */
#define GEX_FLAG_AM_PREPARE_LEAST_CLIENT 0x800u
#define GEX_FLAG_AM_PREPARE_LEAST_ALLOC 0x1000u

/* VIS puts: enables the leaf event of local completion */
#define GEX_FLAG_ENABLE_LEAF_LC 0x800u

/* remote atomics: flags of domains, then of operations */
#define GEX_FLAG_AD_FAVOR_MY_RANK 1u
#define GEX_FLAG_AD_FAVOR_MY_NBRHD 2u
#define GEX_FLAG_AD_FAVOR_REMOTE 4u
#define GEX_FLAG_AD_REL 2u
#define GEX_FLAG_AD_ACQ 4u
#define GEX_FLAG_AD_MY_RANK 0x800u
#define GEX_FLAG_AD_MY_NBRHD 0x1000u
#define GEX_FLAG_RANK_IS_JOBRANK 0x2000u

/* teams */
#define GEX_FLAG_TM_SCRATCH_SIZE_MIN 1u
#define GEX_FLAG_TM_SCRATCH_SIZE_RECOMMENDED 2u
#define GEX_FLAG_TM_GLOBAL_SCRATCH 4u
#define GEX_FLAG_TM_LOCAL_SCRATCH 8u
#define GEX_FLAG_TM_SYMMETRIC_SCRATCH 0x10u
#define GEX_FLAG_TM_NO_SCRATCH 0x20u
#define GEX_FLAG_SCRATCH_SEG_OFFSET 0x40u
#define GEX_FLAG_GLOBALLY_QUIESCED 0x2000u

/* endpoints */
#define GEX_FLAG_HINT_ACCEL_AD 1u
#define GEX_FLAG_HINT_ACCEL_COLL 2u
#define GEX_FLAG_HINT_ACCEL_ALL 3u
#define GEX_EP_CAPABILITY_RMA 1u
#define GEX_EP_CAPABILITY_AM 2u
#define GEX_EP_CAPABILITY_VIS 4u
#define GEX_EP_CAPABILITY_COLL 8u
#define GEX_EP_CAPABILITY_AD 0x10u
#define GEX_EP_CAPABILITY_ALL 0x1fu

/* ---- events */

#define GEX_EVENT_INVALID GASNETI_NULL(gex_Event_t)
/* No operation was started; only with GEX_FLAG_IMMEDIATE. */
#define GEX_EVENT_NO_OP GASNETI_POINTER(gex_Event_t, GASNETI_NUMBER(uintptr_t, 1))
/* In place of a gex_Event_t *: local completion before return, with the operation, with NBI. */
#define GEX_EVENT_NOW GASNETI_POINTER(gex_Event_t *, GASNETI_NUMBER(uintptr_t, 1))
#define GEX_EVENT_DEFER GASNETI_POINTER(gex_Event_t *, GASNETI_NUMBER(uintptr_t, 2))
#define GEX_EVENT_GROUP GASNETI_POINTER(gex_Event_t *, GASNETI_NUMBER(uintptr_t, 3))

/* ---- types and operations of remote atomics and reductions */

#define GEX_DT_I32 1u
#define GEX_DT_U32 2u
#define GEX_DT_I64 4u
#define GEX_DT_U64 8u
#define GEX_DT_FLT 0x10u
#define GEX_DT_DBL 0x20u
#define GEX_DT_USER 0x40u

#define GEX_OP_AND 1u
#define GEX_OP_OR 2u
#define GEX_OP_XOR 4u
#define GEX_OP_ADD 8u
#define GEX_OP_SUB 0x10u
#define GEX_OP_MULT 0x20u
#define GEX_OP_MIN 0x40u
#define GEX_OP_MAX 0x80u
#define GEX_OP_INC 0x100u
#define GEX_OP_DEC 0x200u
#define GEX_OP_SET 0x400u
#define GEX_OP_CAS 0x800u
#define GEX_OP_FAND 0x8000u
#define GEX_OP_FOR 0x10000u
#define GEX_OP_FXOR 0x20000u
#define GEX_OP_FADD 0x40000u
#define GEX_OP_FSUB 0x80000u
#define GEX_OP_FMULT 0x100000u
#define GEX_OP_FMIN 0x200000u
#define GEX_OP_FMAX 0x400000u
#define GEX_OP_FINC 0x800000u
#define GEX_OP_FDEC 0x1000000u
#define GEX_OP_SWAP 0x2000000u
#define GEX_OP_FCAS 0x4000000u
#define GEX_OP_GET 0x8000000u
/* GEX_OP_FCAS by its old name */
#define GEX_OP_CSWAP GEX_OP_FCAS
#define GEX_OP_USER 0x40000000u
#define GEX_OP_USER_NC 0x80000000u
/* Convert between a plain operation and the corresponding fetching one; SET corresponds to SWAP. */
#define GEX_OP_TO_FETCHING(op) (((0u + (op)) << 15) & 0xffffffffu)
#define GEX_OP_TO_NONFETCHING(op) ((0u + (op)) >> 15)

#endif
