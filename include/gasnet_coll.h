/* Collectives: initialisation, the team of all ranks, its barrier, and broadcast. Types and functions are in
   gasneti/abi.h; here are the flags. */
#ifndef GASNET_COLL_H
#define GASNET_COLL_H

#include <gasnet.h>

/* The team of all ranks. */
#define GASNET_TEAM_ALL ((gasnet_team_handle_t)(uintptr_t)1)

/* When data may move: once any rank, once the owners, once all ranks have entered. */
#define GASNET_COLL_IN_NOSYNC 1
#define GASNET_COLL_IN_MYSYNC 2
#define GASNET_COLL_IN_ALLSYNC 4
/* What completion says: nothing, that one's own areas are done, that all areas everywhere are done. */
#define GASNET_COLL_OUT_NOSYNC 8
#define GASNET_COLL_OUT_MYSYNC 16
#define GASNET_COLL_OUT_ALLSYNC 32
#define GASNET_COLL_SYNC_FLAG_MASK 63
/* Addresses are the same on all ranks, or only one's own are right. */
#define GASNET_COLL_SINGLE (1 << 6)
#define GASNET_COLL_LOCAL 128
#define GASNET_COLL_AGGREGATE 256
#define GASNET_COLL_FIXED_THREADS_PER_NODE 512
/* Assertions on where the areas lie. */
#define GASNET_COLL_DST_IN_SEGMENT 1024
#define GASNET_COLL_SRC_IN_SEGMENT 2048
#define GASNET_COLL_DISABLE_AUTOTUNE 262144
#define GASNET_COLL_NO_IMAGES 524288

/* Of reduction functions, in gasnet_coll_fn_entry_t. */
#define GASNET_COLL_AMSAFE 1
#define GASNET_COLL_NONCOMM 2

#endif
