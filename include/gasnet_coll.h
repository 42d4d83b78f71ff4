/* Collectives over teams: constants, and the names of GASNet-1. The functions and their documentation are in
   gasneti/abi.h. */
#ifndef GASNET_COLL_H
#define GASNET_COLL_H

#include <gasnetex.h>

/* The team of all ranks; a gex_TM_t like any other. */
#define GASNET_TEAM_ALL (gasneti_team_all())
/* The same under undocumented names that clients use. */
#define gasnete_coll_team_all GASNET_TEAM_ALL
typedef gasnet_team_handle_t gasnete_coll_team_t;
#define GASNET_COLL_INVALID_HANDLE GASNETI_NULL(gasnet_coll_handle_t)

/* Data may be accessed once one rank has entered; once their owner has entered; once all ranks have entered. */
#define GASNET_COLL_IN_NOSYNC 1
#define GASNET_COLL_IN_MYSYNC 2
#define GASNET_COLL_IN_ALLSYNC 4
/* Meaning of completion: none; the local buffers may be used; all ranks' buffers may be used. */
#define GASNET_COLL_OUT_NOSYNC 8
#define GASNET_COLL_OUT_MYSYNC 16
#define GASNET_COLL_OUT_ALLSYNC 32
#define GASNET_COLL_SYNC_FLAG_MASK 63
/* All ranks pass the addresses of all ranks; or each rank passes only its own. */
#define GASNET_COLL_SINGLE (1 << 6)
#define GASNET_COLL_LOCAL 128
/* Nonblocking calls: the operation shares the handle of the thread's next call over the team. */
#define GASNET_COLL_AGGREGATE 256
#define GASNET_COLL_FIXED_THREADS_PER_NODE 512
/* Assertions that buffers are in segments. */
#define GASNET_COLL_DST_IN_SEGMENT 1024
#define GASNET_COLL_SRC_IN_SEGMENT 2048
/* Hints on the operation that a reduction function computes; without effect. */
#define GASNET_COLL_REDUCE_OP_SUM 4096
#define GASNET_COLL_REDUCE_OP_MAX 8192
#define GASNET_COLL_REDUCE_OP_MIN 16384
#define GASNET_COLL_REDUCE_OP_CUSTOM 32768
/* Inclusive and exclusive scans. */
#define GASNET_COLL_INCLUSIVE_SCAN 65536
#define GASNET_COLL_EXCLUSIVE_SCAN 131072
#define GASNET_COLL_DISABLE_AUTOTUNE 262144
/* One thread of each rank calls, and each rank is one image. */
#define GASNET_COLL_NO_IMAGES 524288

/* Flags of reduction functions, in gasnet_coll_fn_entry_t. */
#define GASNET_COLL_AMSAFE 1
#define GASNET_COLL_NONCOMM 2

/* Operations to which tuning hints apply. */
typedef enum {
  GASNET_COLL_BROADCAST_OP,
  GASNET_COLL_BROADCASTM_OP,
  GASNET_COLL_SCATTER_OP,
  GASNET_COLL_SCATTERM_OP,
  GASNET_COLL_GATHER_OP,
  GASNET_COLL_GATHERM_OP,
  GASNET_COLL_GATHER_ALL_OP,
  GASNET_COLL_GATHER_ALLM_OP,
  GASNET_COLL_EXCHANGE_OP,
  GASNET_COLL_EXCHANGEM_OP,
  GASNET_COLL_REDUCE_OP,
  GASNET_COLL_REDUCEM_OP,
  GASNET_COLL_NUM_COLL_OPTYPES
} gasnet_coll_optype_t;
typedef enum {
  GASNET_COLL_PIPE_SEG_SIZE,
  GASNET_COLL_DISSEM_RADIX,
  GASNET_COLL_TREE_TYPE,
  GASNET_COLL_NUM_PARAM_TYPES = 4
} gasnet_coll_tuning_param_type_t;
typedef void (*gasnet_coll_overlap_sample_work_t)(void *arg);


#define GASNET_COLL_ARGS_INITIALIZER { NULL, NULL, 0, 0, 0, 0, 0, 0, 0, 0 }

#endif
