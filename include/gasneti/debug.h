/* Generated from src/abi by `make headers`. Edit the Rust source, not this file. */
#ifndef GASNETI_DEBUG_H
#define GASNETI_DEBUG_H
#ifdef GASNETI_SRCLINES
#include <gasneti/abi_tools.h>
/* Leaves the caller's place for messages about misuse and for traces, then calls. */
#ifndef gasnet_AMGetMsgSource
#define gasnet_AMGetMsgSource(...) (gasneti_at(__FILE__, __LINE__), gasnet_AMGetMsgSource(__VA_ARGS__))
#endif
#ifndef gasnet_AMPoll
#define gasnet_AMPoll(...) (gasneti_at(__FILE__, __LINE__), gasnet_AMPoll(__VA_ARGS__))
#endif
#ifndef gasnet_AMMaxArgs
#define gasnet_AMMaxArgs(...) (gasneti_at(__FILE__, __LINE__), gasnet_AMMaxArgs(__VA_ARGS__))
#endif
#ifndef gasnet_AMMaxMedium
#define gasnet_AMMaxMedium(...) (gasneti_at(__FILE__, __LINE__), gasnet_AMMaxMedium(__VA_ARGS__))
#endif
#ifndef gasnet_AMMaxLongRequest
#define gasnet_AMMaxLongRequest(...) (gasneti_at(__FILE__, __LINE__), gasnet_AMMaxLongRequest(__VA_ARGS__))
#endif
#ifndef gasnet_AMMaxLongReply
#define gasnet_AMMaxLongReply(...) (gasneti_at(__FILE__, __LINE__), gasnet_AMMaxLongReply(__VA_ARGS__))
#endif
#ifndef gex_AM_PrepareRequestMedium
#define gex_AM_PrepareRequestMedium(...) (gasneti_at(__FILE__, __LINE__), gex_AM_PrepareRequestMedium(__VA_ARGS__))
#endif
#ifndef gex_AM_PrepareRequestLong
#define gex_AM_PrepareRequestLong(...) (gasneti_at(__FILE__, __LINE__), gex_AM_PrepareRequestLong(__VA_ARGS__))
#endif
#ifndef gex_AM_PrepareReplyMedium
#define gex_AM_PrepareReplyMedium(...) (gasneti_at(__FILE__, __LINE__), gex_AM_PrepareReplyMedium(__VA_ARGS__))
#endif
#ifndef gex_AM_PrepareReplyLong
#define gex_AM_PrepareReplyLong(...) (gasneti_at(__FILE__, __LINE__), gex_AM_PrepareReplyLong(__VA_ARGS__))
#endif
#ifndef gex_AM_CancelRequestMedium
#define gex_AM_CancelRequestMedium(...) (gasneti_at(__FILE__, __LINE__), gex_AM_CancelRequestMedium(__VA_ARGS__))
#endif
#ifndef gex_AM_CancelRequestLong
#define gex_AM_CancelRequestLong(...) (gasneti_at(__FILE__, __LINE__), gex_AM_CancelRequestLong(__VA_ARGS__))
#endif
#ifndef gex_AM_CancelReplyMedium
#define gex_AM_CancelReplyMedium(...) (gasneti_at(__FILE__, __LINE__), gex_AM_CancelReplyMedium(__VA_ARGS__))
#endif
#ifndef gex_AM_CancelReplyLong
#define gex_AM_CancelReplyLong(...) (gasneti_at(__FILE__, __LINE__), gex_AM_CancelReplyLong(__VA_ARGS__))
#endif
#ifndef gex_AM_SrcDescAddr
#define gex_AM_SrcDescAddr(...) (gasneti_at(__FILE__, __LINE__), gex_AM_SrcDescAddr(__VA_ARGS__))
#endif
#ifndef gex_AM_SrcDescSize
#define gex_AM_SrcDescSize(...) (gasneti_at(__FILE__, __LINE__), gex_AM_SrcDescSize(__VA_ARGS__))
#endif
#ifndef gex_AM_MaxArgs
#define gex_AM_MaxArgs(...) (gasneti_at(__FILE__, __LINE__), gex_AM_MaxArgs(__VA_ARGS__))
#endif
#ifndef gex_AM_MaxRequestMedium
#define gex_AM_MaxRequestMedium(...) (gasneti_at(__FILE__, __LINE__), gex_AM_MaxRequestMedium(__VA_ARGS__))
#endif
#ifndef gex_AM_MaxReplyMedium
#define gex_AM_MaxReplyMedium(...) (gasneti_at(__FILE__, __LINE__), gex_AM_MaxReplyMedium(__VA_ARGS__))
#endif
#ifndef gex_AM_MaxRequestLong
#define gex_AM_MaxRequestLong(...) (gasneti_at(__FILE__, __LINE__), gex_AM_MaxRequestLong(__VA_ARGS__))
#endif
#ifndef gex_AM_MaxReplyLong
#define gex_AM_MaxReplyLong(...) (gasneti_at(__FILE__, __LINE__), gex_AM_MaxReplyLong(__VA_ARGS__))
#endif
#ifndef gex_Token_MaxReplyMedium
#define gex_Token_MaxReplyMedium(...) (gasneti_at(__FILE__, __LINE__), gex_Token_MaxReplyMedium(__VA_ARGS__))
#endif
#ifndef gex_Token_MaxReplyLong
#define gex_Token_MaxReplyLong(...) (gasneti_at(__FILE__, __LINE__), gex_Token_MaxReplyLong(__VA_ARGS__))
#endif
#ifndef gex_AM_LUBRequestMedium
#define gex_AM_LUBRequestMedium(...) (gasneti_at(__FILE__, __LINE__), gex_AM_LUBRequestMedium(__VA_ARGS__))
#endif
#ifndef gex_AM_LUBReplyMedium
#define gex_AM_LUBReplyMedium(...) (gasneti_at(__FILE__, __LINE__), gex_AM_LUBReplyMedium(__VA_ARGS__))
#endif
#ifndef gex_AM_LUBRequestLong
#define gex_AM_LUBRequestLong(...) (gasneti_at(__FILE__, __LINE__), gex_AM_LUBRequestLong(__VA_ARGS__))
#endif
#ifndef gex_AM_LUBReplyLong
#define gex_AM_LUBReplyLong(...) (gasneti_at(__FILE__, __LINE__), gex_AM_LUBReplyLong(__VA_ARGS__))
#endif
#ifndef gex_Token_Info
#define gex_Token_Info(...) (gasneti_at(__FILE__, __LINE__), gex_Token_Info(__VA_ARGS__))
#endif
#ifndef gex_EP_RegisterHandlers
#define gex_EP_RegisterHandlers(...) (gasneti_at(__FILE__, __LINE__), gex_EP_RegisterHandlers(__VA_ARGS__))
#endif
#ifndef gasnet_barrier_notify
#define gasnet_barrier_notify(...) (gasneti_at(__FILE__, __LINE__), gasnet_barrier_notify(__VA_ARGS__))
#endif
#ifndef gasnet_barrier_wait
#define gasnet_barrier_wait(...) (gasneti_at(__FILE__, __LINE__), gasnet_barrier_wait(__VA_ARGS__))
#endif
#ifndef gasnet_barrier_try
#define gasnet_barrier_try(...) (gasneti_at(__FILE__, __LINE__), gasnet_barrier_try(__VA_ARGS__))
#endif
#ifndef gasnet_barrier
#define gasnet_barrier(...) (gasneti_at(__FILE__, __LINE__), gasnet_barrier(__VA_ARGS__))
#endif
#ifndef gasnet_barrier_result
#define gasnet_barrier_result(...) (gasneti_at(__FILE__, __LINE__), gasnet_barrier_result(__VA_ARGS__))
#endif
#ifndef gasnet_attach
#define gasnet_attach(...) (gasneti_at(__FILE__, __LINE__), gasnet_attach(__VA_ARGS__))
#endif
#ifndef gasnet_mynode
#define gasnet_mynode(...) (gasneti_at(__FILE__, __LINE__), gasnet_mynode(__VA_ARGS__))
#endif
#ifndef gasnet_nodes
#define gasnet_nodes(...) (gasneti_at(__FILE__, __LINE__), gasnet_nodes(__VA_ARGS__))
#endif
#ifndef gasnet_getMaxLocalSegmentSize
#define gasnet_getMaxLocalSegmentSize(...) (gasneti_at(__FILE__, __LINE__), gasnet_getMaxLocalSegmentSize(__VA_ARGS__))
#endif
#ifndef gasnet_getMaxGlobalSegmentSize
#define gasnet_getMaxGlobalSegmentSize(...) (gasneti_at(__FILE__, __LINE__), gasnet_getMaxGlobalSegmentSize(__VA_ARGS__))
#endif
#ifndef gasnet_getSegmentInfo
#define gasnet_getSegmentInfo(...) (gasneti_at(__FILE__, __LINE__), gasnet_getSegmentInfo(__VA_ARGS__))
#endif
#ifndef gasnet_getNodeInfo
#define gasnet_getNodeInfo(...) (gasneti_at(__FILE__, __LINE__), gasnet_getNodeInfo(__VA_ARGS__))
#endif
#ifndef gasnet_ErrorName
#define gasnet_ErrorName(...) (gasneti_at(__FILE__, __LINE__), gasnet_ErrorName(__VA_ARGS__))
#endif
#ifndef gasnet_ErrorDesc
#define gasnet_ErrorDesc(...) (gasneti_at(__FILE__, __LINE__), gasnet_ErrorDesc(__VA_ARGS__))
#endif
#ifndef gasnet_set_waitmode
#define gasnet_set_waitmode(...) (gasneti_at(__FILE__, __LINE__), gasnet_set_waitmode(__VA_ARGS__))
#endif
#ifndef gex_Coll_BarrierNB
#define gex_Coll_BarrierNB(...) (gasneti_at(__FILE__, __LINE__), gex_Coll_BarrierNB(__VA_ARGS__))
#endif
#ifndef gex_Coll_BarrierBlocking
#define gex_Coll_BarrierBlocking(...) (gasneti_at(__FILE__, __LINE__), gex_Coll_BarrierBlocking(__VA_ARGS__))
#endif
#ifndef gex_Coll_BroadcastNB
#define gex_Coll_BroadcastNB(...) (gasneti_at(__FILE__, __LINE__), gex_Coll_BroadcastNB(__VA_ARGS__))
#endif
#ifndef gex_Coll_ReduceToOneNB
#define gex_Coll_ReduceToOneNB(...) (gasneti_at(__FILE__, __LINE__), gex_Coll_ReduceToOneNB(__VA_ARGS__))
#endif
#ifndef gex_Coll_ReduceToAllNB
#define gex_Coll_ReduceToAllNB(...) (gasneti_at(__FILE__, __LINE__), gex_Coll_ReduceToAllNB(__VA_ARGS__))
#endif
#ifndef gasnet_coll_reduce
#define gasnet_coll_reduce(...) (gasneti_at(__FILE__, __LINE__), gasnet_coll_reduce(__VA_ARGS__))
#endif
#ifndef gasnet_coll_reduce_nb
#define gasnet_coll_reduce_nb(...) (gasneti_at(__FILE__, __LINE__), gasnet_coll_reduce_nb(__VA_ARGS__))
#endif
#ifndef gasnet_coll_scan
#define gasnet_coll_scan(...) (gasneti_at(__FILE__, __LINE__), gasnet_coll_scan(__VA_ARGS__))
#endif
#ifndef gasnet_coll_scan_nb
#define gasnet_coll_scan_nb(...) (gasneti_at(__FILE__, __LINE__), gasnet_coll_scan_nb(__VA_ARGS__))
#endif
#ifndef gasnet_coll_reduceM
#define gasnet_coll_reduceM(...) (gasneti_at(__FILE__, __LINE__), gasnet_coll_reduceM(__VA_ARGS__))
#endif
#ifndef gasnet_coll_reduceM_nb
#define gasnet_coll_reduceM_nb(...) (gasneti_at(__FILE__, __LINE__), gasnet_coll_reduceM_nb(__VA_ARGS__))
#endif
#ifndef gasnet_coll_scanM
#define gasnet_coll_scanM(...) (gasneti_at(__FILE__, __LINE__), gasnet_coll_scanM(__VA_ARGS__))
#endif
#ifndef gasnet_coll_scanM_nb
#define gasnet_coll_scanM_nb(...) (gasneti_at(__FILE__, __LINE__), gasnet_coll_scanM_nb(__VA_ARGS__))
#endif
#ifndef gasnet_coll_init
#define gasnet_coll_init(...) (gasneti_at(__FILE__, __LINE__), gasnet_coll_init(__VA_ARGS__))
#endif
#ifndef gasnet_coll_wait_sync
#define gasnet_coll_wait_sync(...) (gasneti_at(__FILE__, __LINE__), gasnet_coll_wait_sync(__VA_ARGS__))
#endif
#ifndef gasnet_coll_try_sync
#define gasnet_coll_try_sync(...) (gasneti_at(__FILE__, __LINE__), gasnet_coll_try_sync(__VA_ARGS__))
#endif
#ifndef gasnet_coll_wait_sync_all
#define gasnet_coll_wait_sync_all(...) (gasneti_at(__FILE__, __LINE__), gasnet_coll_wait_sync_all(__VA_ARGS__))
#endif
#ifndef gasnet_coll_try_sync_all
#define gasnet_coll_try_sync_all(...) (gasneti_at(__FILE__, __LINE__), gasnet_coll_try_sync_all(__VA_ARGS__))
#endif
#ifndef gasnet_coll_wait_sync_some
#define gasnet_coll_wait_sync_some(...) (gasneti_at(__FILE__, __LINE__), gasnet_coll_wait_sync_some(__VA_ARGS__))
#endif
#ifndef gasnet_coll_try_sync_some
#define gasnet_coll_try_sync_some(...) (gasneti_at(__FILE__, __LINE__), gasnet_coll_try_sync_some(__VA_ARGS__))
#endif
#ifndef gasnet_coll_tune_generic_op
#define gasnet_coll_tune_generic_op(...) (gasneti_at(__FILE__, __LINE__), gasnet_coll_tune_generic_op(__VA_ARGS__))
#endif
#ifndef gasnet_coll_broadcast
#define gasnet_coll_broadcast(...) (gasneti_at(__FILE__, __LINE__), gasnet_coll_broadcast(__VA_ARGS__))
#endif
#ifndef gasnet_coll_broadcast_nb
#define gasnet_coll_broadcast_nb(...) (gasneti_at(__FILE__, __LINE__), gasnet_coll_broadcast_nb(__VA_ARGS__))
#endif
#ifndef gasnet_coll_scatter
#define gasnet_coll_scatter(...) (gasneti_at(__FILE__, __LINE__), gasnet_coll_scatter(__VA_ARGS__))
#endif
#ifndef gasnet_coll_scatter_nb
#define gasnet_coll_scatter_nb(...) (gasneti_at(__FILE__, __LINE__), gasnet_coll_scatter_nb(__VA_ARGS__))
#endif
#ifndef gasnet_coll_gather
#define gasnet_coll_gather(...) (gasneti_at(__FILE__, __LINE__), gasnet_coll_gather(__VA_ARGS__))
#endif
#ifndef gasnet_coll_gather_nb
#define gasnet_coll_gather_nb(...) (gasneti_at(__FILE__, __LINE__), gasnet_coll_gather_nb(__VA_ARGS__))
#endif
#ifndef gasnet_coll_gather_all
#define gasnet_coll_gather_all(...) (gasneti_at(__FILE__, __LINE__), gasnet_coll_gather_all(__VA_ARGS__))
#endif
#ifndef gasnet_coll_gather_all_nb
#define gasnet_coll_gather_all_nb(...) (gasneti_at(__FILE__, __LINE__), gasnet_coll_gather_all_nb(__VA_ARGS__))
#endif
#ifndef gasnet_coll_exchange
#define gasnet_coll_exchange(...) (gasneti_at(__FILE__, __LINE__), gasnet_coll_exchange(__VA_ARGS__))
#endif
#ifndef gasnet_coll_exchange_nb
#define gasnet_coll_exchange_nb(...) (gasneti_at(__FILE__, __LINE__), gasnet_coll_exchange_nb(__VA_ARGS__))
#endif
#ifndef gasnet_coll_broadcastM
#define gasnet_coll_broadcastM(...) (gasneti_at(__FILE__, __LINE__), gasnet_coll_broadcastM(__VA_ARGS__))
#endif
#ifndef gasnet_coll_broadcastM_nb
#define gasnet_coll_broadcastM_nb(...) (gasneti_at(__FILE__, __LINE__), gasnet_coll_broadcastM_nb(__VA_ARGS__))
#endif
#ifndef gasnet_coll_scatterM
#define gasnet_coll_scatterM(...) (gasneti_at(__FILE__, __LINE__), gasnet_coll_scatterM(__VA_ARGS__))
#endif
#ifndef gasnet_coll_scatterM_nb
#define gasnet_coll_scatterM_nb(...) (gasneti_at(__FILE__, __LINE__), gasnet_coll_scatterM_nb(__VA_ARGS__))
#endif
#ifndef gasnet_coll_gatherM
#define gasnet_coll_gatherM(...) (gasneti_at(__FILE__, __LINE__), gasnet_coll_gatherM(__VA_ARGS__))
#endif
#ifndef gasnet_coll_gatherM_nb
#define gasnet_coll_gatherM_nb(...) (gasneti_at(__FILE__, __LINE__), gasnet_coll_gatherM_nb(__VA_ARGS__))
#endif
#ifndef gasnet_coll_gather_allM
#define gasnet_coll_gather_allM(...) (gasneti_at(__FILE__, __LINE__), gasnet_coll_gather_allM(__VA_ARGS__))
#endif
#ifndef gasnet_coll_gather_allM_nb
#define gasnet_coll_gather_allM_nb(...) (gasneti_at(__FILE__, __LINE__), gasnet_coll_gather_allM_nb(__VA_ARGS__))
#endif
#ifndef gasnet_coll_exchangeM
#define gasnet_coll_exchangeM(...) (gasneti_at(__FILE__, __LINE__), gasnet_coll_exchangeM(__VA_ARGS__))
#endif
#ifndef gasnet_coll_exchangeM_nb
#define gasnet_coll_exchangeM_nb(...) (gasneti_at(__FILE__, __LINE__), gasnet_coll_exchangeM_nb(__VA_ARGS__))
#endif
#ifndef gasnet_coll_barrier_notify
#define gasnet_coll_barrier_notify(...) (gasneti_at(__FILE__, __LINE__), gasnet_coll_barrier_notify(__VA_ARGS__))
#endif
#ifndef gasnet_coll_barrier_wait
#define gasnet_coll_barrier_wait(...) (gasneti_at(__FILE__, __LINE__), gasnet_coll_barrier_wait(__VA_ARGS__))
#endif
#ifndef gasnet_coll_barrier_try
#define gasnet_coll_barrier_try(...) (gasneti_at(__FILE__, __LINE__), gasnet_coll_barrier_try(__VA_ARGS__))
#endif
#ifndef gasnet_coll_barrier
#define gasnet_coll_barrier(...) (gasneti_at(__FILE__, __LINE__), gasnet_coll_barrier(__VA_ARGS__))
#endif
#ifndef gasnet_coll_barrier_result
#define gasnet_coll_barrier_result(...) (gasneti_at(__FILE__, __LINE__), gasnet_coll_barrier_result(__VA_ARGS__))
#endif
#ifndef gasnet_coll_team_size
#define gasnet_coll_team_size(...) (gasneti_at(__FILE__, __LINE__), gasnet_coll_team_size(__VA_ARGS__))
#endif
#ifndef gasnet_coll_team_rank2node
#define gasnet_coll_team_rank2node(...) (gasneti_at(__FILE__, __LINE__), gasnet_coll_team_rank2node(__VA_ARGS__))
#endif
#ifndef gasnet_coll_team_node2rank
#define gasnet_coll_team_node2rank(...) (gasneti_at(__FILE__, __LINE__), gasnet_coll_team_node2rank(__VA_ARGS__))
#endif
#ifndef gasnet_coll_team_split
#define gasnet_coll_team_split(...) (gasneti_at(__FILE__, __LINE__), gasnet_coll_team_split(__VA_ARGS__))
#endif
#ifndef gasnet_coll_get_num_tree_classes
#define gasnet_coll_get_num_tree_classes(...) (gasneti_at(__FILE__, __LINE__), gasnet_coll_get_num_tree_classes(__VA_ARGS__))
#endif
#ifndef gasnet_coll_set_tree_kind
#define gasnet_coll_set_tree_kind(...) (gasneti_at(__FILE__, __LINE__), gasnet_coll_set_tree_kind(__VA_ARGS__))
#endif
#ifndef gasnet_coll_set_dissem_limit
#define gasnet_coll_set_dissem_limit(...) (gasneti_at(__FILE__, __LINE__), gasnet_coll_set_dissem_limit(__VA_ARGS__))
#endif
#ifndef gasnet_coll_dumpTuningState
#define gasnet_coll_dumpTuningState(...) (gasneti_at(__FILE__, __LINE__), gasnet_coll_dumpTuningState(__VA_ARGS__))
#endif
#ifndef gasnet_coll_loadTuningState
#define gasnet_coll_loadTuningState(...) (gasneti_at(__FILE__, __LINE__), gasnet_coll_loadTuningState(__VA_ARGS__))
#endif
#ifndef gasnet_coll_dumpProfile
#define gasnet_coll_dumpProfile(...) (gasneti_at(__FILE__, __LINE__), gasnet_coll_dumpProfile(__VA_ARGS__))
#endif
#ifndef gex_EP_Create
#define gex_EP_Create(...) (gasneti_at(__FILE__, __LINE__), gex_EP_Create(__VA_ARGS__))
#endif
#ifndef gex_EP_SetCData
#define gex_EP_SetCData(...) (gasneti_at(__FILE__, __LINE__), gex_EP_SetCData(__VA_ARGS__))
#endif
#ifndef gex_EP_QueryCData
#define gex_EP_QueryCData(...) (gasneti_at(__FILE__, __LINE__), gex_EP_QueryCData(__VA_ARGS__))
#endif
#ifndef gex_EP_QueryClient
#define gex_EP_QueryClient(...) (gasneti_at(__FILE__, __LINE__), gex_EP_QueryClient(__VA_ARGS__))
#endif
#ifndef gex_EP_QueryFlags
#define gex_EP_QueryFlags(...) (gasneti_at(__FILE__, __LINE__), gex_EP_QueryFlags(__VA_ARGS__))
#endif
#ifndef gex_EP_QuerySegment
#define gex_EP_QuerySegment(...) (gasneti_at(__FILE__, __LINE__), gex_EP_QuerySegment(__VA_ARGS__))
#endif
#ifndef gex_EP_QueryIndex
#define gex_EP_QueryIndex(...) (gasneti_at(__FILE__, __LINE__), gex_EP_QueryIndex(__VA_ARGS__))
#endif
#ifndef gasnet_getenv
#define gasnet_getenv(...) (gasneti_at(__FILE__, __LINE__), gasnet_getenv(__VA_ARGS__))
#endif
#ifndef gasnet_wait_syncnb
#define gasnet_wait_syncnb(...) (gasneti_at(__FILE__, __LINE__), gasnet_wait_syncnb(__VA_ARGS__))
#endif
#ifndef gasnet_try_syncnb
#define gasnet_try_syncnb(...) (gasneti_at(__FILE__, __LINE__), gasnet_try_syncnb(__VA_ARGS__))
#endif
#ifndef gasnet_try_syncnb_nopoll
#define gasnet_try_syncnb_nopoll(...) (gasneti_at(__FILE__, __LINE__), gasnet_try_syncnb_nopoll(__VA_ARGS__))
#endif
#ifndef gasnet_wait_syncnb_all
#define gasnet_wait_syncnb_all(...) (gasneti_at(__FILE__, __LINE__), gasnet_wait_syncnb_all(__VA_ARGS__))
#endif
#ifndef gasnet_try_syncnb_all
#define gasnet_try_syncnb_all(...) (gasneti_at(__FILE__, __LINE__), gasnet_try_syncnb_all(__VA_ARGS__))
#endif
#ifndef gasnet_try_syncnb_all_nopoll
#define gasnet_try_syncnb_all_nopoll(...) (gasneti_at(__FILE__, __LINE__), gasnet_try_syncnb_all_nopoll(__VA_ARGS__))
#endif
#ifndef gasnet_wait_syncnb_some
#define gasnet_wait_syncnb_some(...) (gasneti_at(__FILE__, __LINE__), gasnet_wait_syncnb_some(__VA_ARGS__))
#endif
#ifndef gasnet_try_syncnb_some
#define gasnet_try_syncnb_some(...) (gasneti_at(__FILE__, __LINE__), gasnet_try_syncnb_some(__VA_ARGS__))
#endif
#ifndef gasnet_try_syncnb_some_nopoll
#define gasnet_try_syncnb_some_nopoll(...) (gasneti_at(__FILE__, __LINE__), gasnet_try_syncnb_some_nopoll(__VA_ARGS__))
#endif
#ifndef gasnet_wait_syncnbi_puts
#define gasnet_wait_syncnbi_puts(...) (gasneti_at(__FILE__, __LINE__), gasnet_wait_syncnbi_puts(__VA_ARGS__))
#endif
#ifndef gasnet_try_syncnbi_puts
#define gasnet_try_syncnbi_puts(...) (gasneti_at(__FILE__, __LINE__), gasnet_try_syncnbi_puts(__VA_ARGS__))
#endif
#ifndef gasnet_wait_syncnbi_gets
#define gasnet_wait_syncnbi_gets(...) (gasneti_at(__FILE__, __LINE__), gasnet_wait_syncnbi_gets(__VA_ARGS__))
#endif
#ifndef gasnet_try_syncnbi_gets
#define gasnet_try_syncnbi_gets(...) (gasneti_at(__FILE__, __LINE__), gasnet_try_syncnbi_gets(__VA_ARGS__))
#endif
#ifndef gasnet_wait_syncnbi_all
#define gasnet_wait_syncnbi_all(...) (gasneti_at(__FILE__, __LINE__), gasnet_wait_syncnbi_all(__VA_ARGS__))
#endif
#ifndef gasnet_try_syncnbi_all
#define gasnet_try_syncnbi_all(...) (gasneti_at(__FILE__, __LINE__), gasnet_try_syncnbi_all(__VA_ARGS__))
#endif
#ifndef gasnet_begin_nbi_accessregion
#define gasnet_begin_nbi_accessregion(...) (gasneti_at(__FILE__, __LINE__), gasnet_begin_nbi_accessregion(__VA_ARGS__))
#endif
#ifndef gasnet_end_nbi_accessregion
#define gasnet_end_nbi_accessregion(...) (gasneti_at(__FILE__, __LINE__), gasnet_end_nbi_accessregion(__VA_ARGS__))
#endif
#ifndef gasnet_wait_syncnb_valget
#define gasnet_wait_syncnb_valget(...) (gasneti_at(__FILE__, __LINE__), gasnet_wait_syncnb_valget(__VA_ARGS__))
#endif
#ifndef gex_Event_Test
#define gex_Event_Test(...) (gasneti_at(__FILE__, __LINE__), gex_Event_Test(__VA_ARGS__))
#endif
#ifndef gex_Event_Wait
#define gex_Event_Wait(...) (gasneti_at(__FILE__, __LINE__), gex_Event_Wait(__VA_ARGS__))
#endif
#ifndef gex_Event_TestSome
#define gex_Event_TestSome(...) (gasneti_at(__FILE__, __LINE__), gex_Event_TestSome(__VA_ARGS__))
#endif
#ifndef gex_Event_WaitSome
#define gex_Event_WaitSome(...) (gasneti_at(__FILE__, __LINE__), gex_Event_WaitSome(__VA_ARGS__))
#endif
#ifndef gex_Event_TestAll
#define gex_Event_TestAll(...) (gasneti_at(__FILE__, __LINE__), gex_Event_TestAll(__VA_ARGS__))
#endif
#ifndef gex_Event_WaitAll
#define gex_Event_WaitAll(...) (gasneti_at(__FILE__, __LINE__), gex_Event_WaitAll(__VA_ARGS__))
#endif
#ifndef gex_Event_QueryLeaf
#define gex_Event_QueryLeaf(...) (gasneti_at(__FILE__, __LINE__), gex_Event_QueryLeaf(__VA_ARGS__))
#endif
#ifndef gex_NBI_Test
#define gex_NBI_Test(...) (gasneti_at(__FILE__, __LINE__), gex_NBI_Test(__VA_ARGS__))
#endif
#ifndef gex_NBI_Wait
#define gex_NBI_Wait(...) (gasneti_at(__FILE__, __LINE__), gex_NBI_Wait(__VA_ARGS__))
#endif
#ifndef gex_NBI_BeginAccessRegion
#define gex_NBI_BeginAccessRegion(...) (gasneti_at(__FILE__, __LINE__), gex_NBI_BeginAccessRegion(__VA_ARGS__))
#endif
#ifndef gex_NBI_EndAccessRegion
#define gex_NBI_EndAccessRegion(...) (gasneti_at(__FILE__, __LINE__), gex_NBI_EndAccessRegion(__VA_ARGS__))
#endif
#ifndef gasnet_hsl_init
#define gasnet_hsl_init(...) (gasneti_at(__FILE__, __LINE__), gasnet_hsl_init(__VA_ARGS__))
#endif
#ifndef gasnet_hsl_destroy
#define gasnet_hsl_destroy(...) (gasneti_at(__FILE__, __LINE__), gasnet_hsl_destroy(__VA_ARGS__))
#endif
#ifndef gasnet_hsl_lock
#define gasnet_hsl_lock(...) (gasneti_at(__FILE__, __LINE__), gasnet_hsl_lock(__VA_ARGS__))
#endif
#ifndef gasnet_hsl_trylock
#define gasnet_hsl_trylock(...) (gasneti_at(__FILE__, __LINE__), gasnet_hsl_trylock(__VA_ARGS__))
#endif
#ifndef gasnet_hsl_unlock
#define gasnet_hsl_unlock(...) (gasneti_at(__FILE__, __LINE__), gasnet_hsl_unlock(__VA_ARGS__))
#endif
#ifndef gex_HSL_Init
#define gex_HSL_Init(...) (gasneti_at(__FILE__, __LINE__), gex_HSL_Init(__VA_ARGS__))
#endif
#ifndef gex_HSL_Destroy
#define gex_HSL_Destroy(...) (gasneti_at(__FILE__, __LINE__), gex_HSL_Destroy(__VA_ARGS__))
#endif
#ifndef gex_HSL_Lock
#define gex_HSL_Lock(...) (gasneti_at(__FILE__, __LINE__), gex_HSL_Lock(__VA_ARGS__))
#endif
#ifndef gex_HSL_Trylock
#define gex_HSL_Trylock(...) (gasneti_at(__FILE__, __LINE__), gex_HSL_Trylock(__VA_ARGS__))
#endif
#ifndef gex_HSL_Unlock
#define gex_HSL_Unlock(...) (gasneti_at(__FILE__, __LINE__), gex_HSL_Unlock(__VA_ARGS__))
#endif
#ifndef gasnet_hold_interrupts
#define gasnet_hold_interrupts(...) (gasneti_at(__FILE__, __LINE__), gasnet_hold_interrupts(__VA_ARGS__))
#endif
#ifndef gasnet_resume_interrupts
#define gasnet_resume_interrupts(...) (gasneti_at(__FILE__, __LINE__), gasnet_resume_interrupts(__VA_ARGS__))
#endif
#ifndef gasnet_QueryGexObjects
#define gasnet_QueryGexObjects(...) (gasneti_at(__FILE__, __LINE__), gasnet_QueryGexObjects(__VA_ARGS__))
#endif
#ifndef gex_MK_Create
#define gex_MK_Create(...) (gasneti_at(__FILE__, __LINE__), gex_MK_Create(__VA_ARGS__))
#endif
#ifndef gex_MK_Destroy
#define gex_MK_Destroy(...) (gasneti_at(__FILE__, __LINE__), gex_MK_Destroy(__VA_ARGS__))
#endif
#ifndef gex_MK_QueryClient
#define gex_MK_QueryClient(...) (gasneti_at(__FILE__, __LINE__), gex_MK_QueryClient(__VA_ARGS__))
#endif
#ifndef gex_MK_QueryClass
#define gex_MK_QueryClass(...) (gasneti_at(__FILE__, __LINE__), gex_MK_QueryClass(__VA_ARGS__))
#endif
#ifndef gex_MK_QueryFlags
#define gex_MK_QueryFlags(...) (gasneti_at(__FILE__, __LINE__), gex_MK_QueryFlags(__VA_ARGS__))
#endif
#ifndef gex_MK_SetCData
#define gex_MK_SetCData(...) (gasneti_at(__FILE__, __LINE__), gex_MK_SetCData(__VA_ARGS__))
#endif
#ifndef gex_MK_QueryCData
#define gex_MK_QueryCData(...) (gasneti_at(__FILE__, __LINE__), gex_MK_QueryCData(__VA_ARGS__))
#endif
#ifndef gex_AD_Create
#define gex_AD_Create(...) (gasneti_at(__FILE__, __LINE__), gex_AD_Create(__VA_ARGS__))
#endif
#ifndef gex_AD_Destroy
#define gex_AD_Destroy(...) (gasneti_at(__FILE__, __LINE__), gex_AD_Destroy(__VA_ARGS__))
#endif
#ifndef gex_AD_QueryFlags
#define gex_AD_QueryFlags(...) (gasneti_at(__FILE__, __LINE__), gex_AD_QueryFlags(__VA_ARGS__))
#endif
#ifndef gex_AD_QueryTM
#define gex_AD_QueryTM(...) (gasneti_at(__FILE__, __LINE__), gex_AD_QueryTM(__VA_ARGS__))
#endif
#ifndef gex_AD_QueryDT
#define gex_AD_QueryDT(...) (gasneti_at(__FILE__, __LINE__), gex_AD_QueryDT(__VA_ARGS__))
#endif
#ifndef gex_AD_QueryOps
#define gex_AD_QueryOps(...) (gasneti_at(__FILE__, __LINE__), gex_AD_QueryOps(__VA_ARGS__))
#endif
#ifndef gex_AD_SetCData
#define gex_AD_SetCData(...) (gasneti_at(__FILE__, __LINE__), gex_AD_SetCData(__VA_ARGS__))
#endif
#ifndef gex_AD_QueryCData
#define gex_AD_QueryCData(...) (gasneti_at(__FILE__, __LINE__), gex_AD_QueryCData(__VA_ARGS__))
#endif
#ifndef gex_AD_OpNB_I32
#define gex_AD_OpNB_I32(...) (gasneti_at(__FILE__, __LINE__), gex_AD_OpNB_I32(__VA_ARGS__))
#endif
#ifndef gex_AD_OpNBI_I32
#define gex_AD_OpNBI_I32(...) (gasneti_at(__FILE__, __LINE__), gex_AD_OpNBI_I32(__VA_ARGS__))
#endif
#ifndef gex_AD_OpNB_U32
#define gex_AD_OpNB_U32(...) (gasneti_at(__FILE__, __LINE__), gex_AD_OpNB_U32(__VA_ARGS__))
#endif
#ifndef gex_AD_OpNBI_U32
#define gex_AD_OpNBI_U32(...) (gasneti_at(__FILE__, __LINE__), gex_AD_OpNBI_U32(__VA_ARGS__))
#endif
#ifndef gex_AD_OpNB_I64
#define gex_AD_OpNB_I64(...) (gasneti_at(__FILE__, __LINE__), gex_AD_OpNB_I64(__VA_ARGS__))
#endif
#ifndef gex_AD_OpNBI_I64
#define gex_AD_OpNBI_I64(...) (gasneti_at(__FILE__, __LINE__), gex_AD_OpNBI_I64(__VA_ARGS__))
#endif
#ifndef gex_AD_OpNB_U64
#define gex_AD_OpNB_U64(...) (gasneti_at(__FILE__, __LINE__), gex_AD_OpNB_U64(__VA_ARGS__))
#endif
#ifndef gex_AD_OpNBI_U64
#define gex_AD_OpNBI_U64(...) (gasneti_at(__FILE__, __LINE__), gex_AD_OpNBI_U64(__VA_ARGS__))
#endif
#ifndef gex_AD_OpNB_FLT
#define gex_AD_OpNB_FLT(...) (gasneti_at(__FILE__, __LINE__), gex_AD_OpNB_FLT(__VA_ARGS__))
#endif
#ifndef gex_AD_OpNBI_FLT
#define gex_AD_OpNBI_FLT(...) (gasneti_at(__FILE__, __LINE__), gex_AD_OpNBI_FLT(__VA_ARGS__))
#endif
#ifndef gex_AD_OpNB_DBL
#define gex_AD_OpNB_DBL(...) (gasneti_at(__FILE__, __LINE__), gex_AD_OpNB_DBL(__VA_ARGS__))
#endif
#ifndef gex_AD_OpNBI_DBL
#define gex_AD_OpNBI_DBL(...) (gasneti_at(__FILE__, __LINE__), gex_AD_OpNBI_DBL(__VA_ARGS__))
#endif
#ifndef gasnet_put
#define gasnet_put(...) (gasneti_at(__FILE__, __LINE__), gasnet_put(__VA_ARGS__))
#endif
#ifndef gasnet_get
#define gasnet_get(...) (gasneti_at(__FILE__, __LINE__), gasnet_get(__VA_ARGS__))
#endif
#ifndef gasnet_put_bulk
#define gasnet_put_bulk(...) (gasneti_at(__FILE__, __LINE__), gasnet_put_bulk(__VA_ARGS__))
#endif
#ifndef gasnet_get_bulk
#define gasnet_get_bulk(...) (gasneti_at(__FILE__, __LINE__), gasnet_get_bulk(__VA_ARGS__))
#endif
#ifndef gasnet_put_nb
#define gasnet_put_nb(...) (gasneti_at(__FILE__, __LINE__), gasnet_put_nb(__VA_ARGS__))
#endif
#ifndef gasnet_get_nb
#define gasnet_get_nb(...) (gasneti_at(__FILE__, __LINE__), gasnet_get_nb(__VA_ARGS__))
#endif
#ifndef gasnet_put_nb_bulk
#define gasnet_put_nb_bulk(...) (gasneti_at(__FILE__, __LINE__), gasnet_put_nb_bulk(__VA_ARGS__))
#endif
#ifndef gasnet_get_nb_bulk
#define gasnet_get_nb_bulk(...) (gasneti_at(__FILE__, __LINE__), gasnet_get_nb_bulk(__VA_ARGS__))
#endif
#ifndef gasnet_put_nbi
#define gasnet_put_nbi(...) (gasneti_at(__FILE__, __LINE__), gasnet_put_nbi(__VA_ARGS__))
#endif
#ifndef gasnet_get_nbi
#define gasnet_get_nbi(...) (gasneti_at(__FILE__, __LINE__), gasnet_get_nbi(__VA_ARGS__))
#endif
#ifndef gasnet_put_nbi_bulk
#define gasnet_put_nbi_bulk(...) (gasneti_at(__FILE__, __LINE__), gasnet_put_nbi_bulk(__VA_ARGS__))
#endif
#ifndef gasnet_get_nbi_bulk
#define gasnet_get_nbi_bulk(...) (gasneti_at(__FILE__, __LINE__), gasnet_get_nbi_bulk(__VA_ARGS__))
#endif
#ifndef gasnet_memset
#define gasnet_memset(...) (gasneti_at(__FILE__, __LINE__), gasnet_memset(__VA_ARGS__))
#endif
#ifndef gasnet_memset_nb
#define gasnet_memset_nb(...) (gasneti_at(__FILE__, __LINE__), gasnet_memset_nb(__VA_ARGS__))
#endif
#ifndef gasnet_memset_nbi
#define gasnet_memset_nbi(...) (gasneti_at(__FILE__, __LINE__), gasnet_memset_nbi(__VA_ARGS__))
#endif
#ifndef gasnet_put_val
#define gasnet_put_val(...) (gasneti_at(__FILE__, __LINE__), gasnet_put_val(__VA_ARGS__))
#endif
#ifndef gasnet_put_nb_val
#define gasnet_put_nb_val(...) (gasneti_at(__FILE__, __LINE__), gasnet_put_nb_val(__VA_ARGS__))
#endif
#ifndef gasnet_put_nbi_val
#define gasnet_put_nbi_val(...) (gasneti_at(__FILE__, __LINE__), gasnet_put_nbi_val(__VA_ARGS__))
#endif
#ifndef gasnet_get_val
#define gasnet_get_val(...) (gasneti_at(__FILE__, __LINE__), gasnet_get_val(__VA_ARGS__))
#endif
#ifndef gasnet_get_nb_val
#define gasnet_get_nb_val(...) (gasneti_at(__FILE__, __LINE__), gasnet_get_nb_val(__VA_ARGS__))
#endif
#ifndef gex_RMA_PutBlocking
#define gex_RMA_PutBlocking(...) (gasneti_at(__FILE__, __LINE__), gex_RMA_PutBlocking(__VA_ARGS__))
#endif
#ifndef gex_RMA_PutNB
#define gex_RMA_PutNB(...) (gasneti_at(__FILE__, __LINE__), gex_RMA_PutNB(__VA_ARGS__))
#endif
#ifndef gex_RMA_PutNBI
#define gex_RMA_PutNBI(...) (gasneti_at(__FILE__, __LINE__), gex_RMA_PutNBI(__VA_ARGS__))
#endif
#ifndef gex_RMA_GetBlocking
#define gex_RMA_GetBlocking(...) (gasneti_at(__FILE__, __LINE__), gex_RMA_GetBlocking(__VA_ARGS__))
#endif
#ifndef gex_RMA_GetNB
#define gex_RMA_GetNB(...) (gasneti_at(__FILE__, __LINE__), gex_RMA_GetNB(__VA_ARGS__))
#endif
#ifndef gex_RMA_GetNBI
#define gex_RMA_GetNBI(...) (gasneti_at(__FILE__, __LINE__), gex_RMA_GetNBI(__VA_ARGS__))
#endif
#ifndef gex_RMA_PutBlockingVal
#define gex_RMA_PutBlockingVal(...) (gasneti_at(__FILE__, __LINE__), gex_RMA_PutBlockingVal(__VA_ARGS__))
#endif
#ifndef gex_RMA_PutNBVal
#define gex_RMA_PutNBVal(...) (gasneti_at(__FILE__, __LINE__), gex_RMA_PutNBVal(__VA_ARGS__))
#endif
#ifndef gex_RMA_PutNBIVal
#define gex_RMA_PutNBIVal(...) (gasneti_at(__FILE__, __LINE__), gex_RMA_PutNBIVal(__VA_ARGS__))
#endif
#ifndef gex_RMA_GetBlockingVal
#define gex_RMA_GetBlockingVal(...) (gasneti_at(__FILE__, __LINE__), gex_RMA_GetBlockingVal(__VA_ARGS__))
#endif
#ifndef gex_Segment_Attach
#define gex_Segment_Attach(...) (gasneti_at(__FILE__, __LINE__), gex_Segment_Attach(__VA_ARGS__))
#endif
#ifndef gex_Segment_Create
#define gex_Segment_Create(...) (gasneti_at(__FILE__, __LINE__), gex_Segment_Create(__VA_ARGS__))
#endif
#ifndef gex_Segment_Destroy
#define gex_Segment_Destroy(...) (gasneti_at(__FILE__, __LINE__), gex_Segment_Destroy(__VA_ARGS__))
#endif
#ifndef gex_EP_BindSegment
#define gex_EP_BindSegment(...) (gasneti_at(__FILE__, __LINE__), gex_EP_BindSegment(__VA_ARGS__))
#endif
#ifndef gex_EP_PublishBoundSegment
#define gex_EP_PublishBoundSegment(...) (gasneti_at(__FILE__, __LINE__), gex_EP_PublishBoundSegment(__VA_ARGS__))
#endif
#ifndef gex_EP_QueryBoundSegmentNB
#define gex_EP_QueryBoundSegmentNB(...) (gasneti_at(__FILE__, __LINE__), gex_EP_QueryBoundSegmentNB(__VA_ARGS__))
#endif
#ifndef gex_Segment_QueryBound
#define gex_Segment_QueryBound(...) (gasneti_at(__FILE__, __LINE__), gex_Segment_QueryBound(__VA_ARGS__))
#endif
#ifndef gex_Segment_QueryAddr
#define gex_Segment_QueryAddr(...) (gasneti_at(__FILE__, __LINE__), gex_Segment_QueryAddr(__VA_ARGS__))
#endif
#ifndef gex_Segment_QuerySize
#define gex_Segment_QuerySize(...) (gasneti_at(__FILE__, __LINE__), gex_Segment_QuerySize(__VA_ARGS__))
#endif
#ifndef gex_Segment_QueryClient
#define gex_Segment_QueryClient(...) (gasneti_at(__FILE__, __LINE__), gex_Segment_QueryClient(__VA_ARGS__))
#endif
#ifndef gex_Segment_QueryFlags
#define gex_Segment_QueryFlags(...) (gasneti_at(__FILE__, __LINE__), gex_Segment_QueryFlags(__VA_ARGS__))
#endif
#ifndef gex_Segment_SetCData
#define gex_Segment_SetCData(...) (gasneti_at(__FILE__, __LINE__), gex_Segment_SetCData(__VA_ARGS__))
#endif
#ifndef gex_Segment_QueryCData
#define gex_Segment_QueryCData(...) (gasneti_at(__FILE__, __LINE__), gex_Segment_QueryCData(__VA_ARGS__))
#endif
#ifndef gex_Client_SetCData
#define gex_Client_SetCData(...) (gasneti_at(__FILE__, __LINE__), gex_Client_SetCData(__VA_ARGS__))
#endif
#ifndef gex_Client_QueryCData
#define gex_Client_QueryCData(...) (gasneti_at(__FILE__, __LINE__), gex_Client_QueryCData(__VA_ARGS__))
#endif
#ifndef gex_Client_QueryFlags
#define gex_Client_QueryFlags(...) (gasneti_at(__FILE__, __LINE__), gex_Client_QueryFlags(__VA_ARGS__))
#endif
#ifndef gex_Client_QueryName
#define gex_Client_QueryName(...) (gasneti_at(__FILE__, __LINE__), gex_Client_QueryName(__VA_ARGS__))
#endif
#ifndef gex_System_QueryJobRank
#define gex_System_QueryJobRank(...) (gasneti_at(__FILE__, __LINE__), gex_System_QueryJobRank(__VA_ARGS__))
#endif
#ifndef gex_System_QueryJobSize
#define gex_System_QueryJobSize(...) (gasneti_at(__FILE__, __LINE__), gex_System_QueryJobSize(__VA_ARGS__))
#endif
#ifndef gex_System_GetVerboseErrors
#define gex_System_GetVerboseErrors(...) (gasneti_at(__FILE__, __LINE__), gex_System_GetVerboseErrors(__VA_ARGS__))
#endif
#ifndef gex_System_SetVerboseErrors
#define gex_System_SetVerboseErrors(...) (gasneti_at(__FILE__, __LINE__), gex_System_SetVerboseErrors(__VA_ARGS__))
#endif
#ifndef gex_System_QueryMaxThreads
#define gex_System_QueryMaxThreads(...) (gasneti_at(__FILE__, __LINE__), gex_System_QueryMaxThreads(__VA_ARGS__))
#endif
#ifndef gex_System_QueryHiddenAMConcurrencyLevel
#define gex_System_QueryHiddenAMConcurrencyLevel(...) (gasneti_at(__FILE__, __LINE__), gex_System_QueryHiddenAMConcurrencyLevel(__VA_ARGS__))
#endif
#ifndef gex_System_QueryProgressThreads
#define gex_System_QueryProgressThreads(...) (gasneti_at(__FILE__, __LINE__), gex_System_QueryProgressThreads(__VA_ARGS__))
#endif
#ifndef gex_System_QueryNbrhdInfo
#define gex_System_QueryNbrhdInfo(...) (gasneti_at(__FILE__, __LINE__), gex_System_QueryNbrhdInfo(__VA_ARGS__))
#endif
#ifndef gex_System_QueryHostInfo
#define gex_System_QueryHostInfo(...) (gasneti_at(__FILE__, __LINE__), gex_System_QueryHostInfo(__VA_ARGS__))
#endif
#ifndef gex_System_QueryMyPosition
#define gex_System_QueryMyPosition(...) (gasneti_at(__FILE__, __LINE__), gex_System_QueryMyPosition(__VA_ARGS__))
#endif
#ifndef gex_TM_Pair
#define gex_TM_Pair(...) (gasneti_at(__FILE__, __LINE__), gex_TM_Pair(__VA_ARGS__))
#endif
#ifndef gex_TM_QueryRank
#define gex_TM_QueryRank(...) (gasneti_at(__FILE__, __LINE__), gex_TM_QueryRank(__VA_ARGS__))
#endif
#ifndef gex_TM_QuerySize
#define gex_TM_QuerySize(...) (gasneti_at(__FILE__, __LINE__), gex_TM_QuerySize(__VA_ARGS__))
#endif
#ifndef gex_TM_QueryClient
#define gex_TM_QueryClient(...) (gasneti_at(__FILE__, __LINE__), gex_TM_QueryClient(__VA_ARGS__))
#endif
#ifndef gex_TM_QueryEP
#define gex_TM_QueryEP(...) (gasneti_at(__FILE__, __LINE__), gex_TM_QueryEP(__VA_ARGS__))
#endif
#ifndef gex_TM_QueryFlags
#define gex_TM_QueryFlags(...) (gasneti_at(__FILE__, __LINE__), gex_TM_QueryFlags(__VA_ARGS__))
#endif
#ifndef gex_TM_SetCData
#define gex_TM_SetCData(...) (gasneti_at(__FILE__, __LINE__), gex_TM_SetCData(__VA_ARGS__))
#endif
#ifndef gex_TM_QueryCData
#define gex_TM_QueryCData(...) (gasneti_at(__FILE__, __LINE__), gex_TM_QueryCData(__VA_ARGS__))
#endif
#ifndef gex_TM_TranslateRankToJobrank
#define gex_TM_TranslateRankToJobrank(...) (gasneti_at(__FILE__, __LINE__), gex_TM_TranslateRankToJobrank(__VA_ARGS__))
#endif
#ifndef gex_TM_TranslateJobrankToRank
#define gex_TM_TranslateJobrankToRank(...) (gasneti_at(__FILE__, __LINE__), gex_TM_TranslateJobrankToRank(__VA_ARGS__))
#endif
#ifndef gex_TM_TranslateRankToEP
#define gex_TM_TranslateRankToEP(...) (gasneti_at(__FILE__, __LINE__), gex_TM_TranslateRankToEP(__VA_ARGS__))
#endif
#ifndef gex_TM_Split
#define gex_TM_Split(...) (gasneti_at(__FILE__, __LINE__), gex_TM_Split(__VA_ARGS__))
#endif
#ifndef gex_TM_Create
#define gex_TM_Create(...) (gasneti_at(__FILE__, __LINE__), gex_TM_Create(__VA_ARGS__))
#endif
#ifndef gex_TM_Dup
#define gex_TM_Dup(...) (gasneti_at(__FILE__, __LINE__), gex_TM_Dup(__VA_ARGS__))
#endif
#ifndef gex_TM_Destroy
#define gex_TM_Destroy(...) (gasneti_at(__FILE__, __LINE__), gex_TM_Destroy(__VA_ARGS__))
#endif
#ifndef gex_VIS_VectorPutBlocking
#define gex_VIS_VectorPutBlocking(...) (gasneti_at(__FILE__, __LINE__), gex_VIS_VectorPutBlocking(__VA_ARGS__))
#endif
#ifndef gex_VIS_VectorPutNB
#define gex_VIS_VectorPutNB(...) (gasneti_at(__FILE__, __LINE__), gex_VIS_VectorPutNB(__VA_ARGS__))
#endif
#ifndef gex_VIS_VectorPutNBI
#define gex_VIS_VectorPutNBI(...) (gasneti_at(__FILE__, __LINE__), gex_VIS_VectorPutNBI(__VA_ARGS__))
#endif
#ifndef gex_VIS_VectorGetBlocking
#define gex_VIS_VectorGetBlocking(...) (gasneti_at(__FILE__, __LINE__), gex_VIS_VectorGetBlocking(__VA_ARGS__))
#endif
#ifndef gex_VIS_VectorGetNB
#define gex_VIS_VectorGetNB(...) (gasneti_at(__FILE__, __LINE__), gex_VIS_VectorGetNB(__VA_ARGS__))
#endif
#ifndef gex_VIS_VectorGetNBI
#define gex_VIS_VectorGetNBI(...) (gasneti_at(__FILE__, __LINE__), gex_VIS_VectorGetNBI(__VA_ARGS__))
#endif
#ifndef gex_VIS_IndexedPutBlocking
#define gex_VIS_IndexedPutBlocking(...) (gasneti_at(__FILE__, __LINE__), gex_VIS_IndexedPutBlocking(__VA_ARGS__))
#endif
#ifndef gex_VIS_IndexedPutNB
#define gex_VIS_IndexedPutNB(...) (gasneti_at(__FILE__, __LINE__), gex_VIS_IndexedPutNB(__VA_ARGS__))
#endif
#ifndef gex_VIS_IndexedPutNBI
#define gex_VIS_IndexedPutNBI(...) (gasneti_at(__FILE__, __LINE__), gex_VIS_IndexedPutNBI(__VA_ARGS__))
#endif
#ifndef gex_VIS_IndexedGetBlocking
#define gex_VIS_IndexedGetBlocking(...) (gasneti_at(__FILE__, __LINE__), gex_VIS_IndexedGetBlocking(__VA_ARGS__))
#endif
#ifndef gex_VIS_IndexedGetNB
#define gex_VIS_IndexedGetNB(...) (gasneti_at(__FILE__, __LINE__), gex_VIS_IndexedGetNB(__VA_ARGS__))
#endif
#ifndef gex_VIS_IndexedGetNBI
#define gex_VIS_IndexedGetNBI(...) (gasneti_at(__FILE__, __LINE__), gex_VIS_IndexedGetNBI(__VA_ARGS__))
#endif
#ifndef gex_VIS_SetPeerCompletionHandler
#define gex_VIS_SetPeerCompletionHandler(...) (gasneti_at(__FILE__, __LINE__), gex_VIS_SetPeerCompletionHandler(__VA_ARGS__))
#endif
#ifndef gasnet_putv_bulk
#define gasnet_putv_bulk(...) (gasneti_at(__FILE__, __LINE__), gasnet_putv_bulk(__VA_ARGS__))
#endif
#ifndef gasnet_putv_nb_bulk
#define gasnet_putv_nb_bulk(...) (gasneti_at(__FILE__, __LINE__), gasnet_putv_nb_bulk(__VA_ARGS__))
#endif
#ifndef gasnet_putv_nbi_bulk
#define gasnet_putv_nbi_bulk(...) (gasneti_at(__FILE__, __LINE__), gasnet_putv_nbi_bulk(__VA_ARGS__))
#endif
#ifndef gasnet_getv_bulk
#define gasnet_getv_bulk(...) (gasneti_at(__FILE__, __LINE__), gasnet_getv_bulk(__VA_ARGS__))
#endif
#ifndef gasnet_getv_nb_bulk
#define gasnet_getv_nb_bulk(...) (gasneti_at(__FILE__, __LINE__), gasnet_getv_nb_bulk(__VA_ARGS__))
#endif
#ifndef gasnet_getv_nbi_bulk
#define gasnet_getv_nbi_bulk(...) (gasneti_at(__FILE__, __LINE__), gasnet_getv_nbi_bulk(__VA_ARGS__))
#endif
#ifndef gasnet_puti_bulk
#define gasnet_puti_bulk(...) (gasneti_at(__FILE__, __LINE__), gasnet_puti_bulk(__VA_ARGS__))
#endif
#ifndef gasnet_puti_nb_bulk
#define gasnet_puti_nb_bulk(...) (gasneti_at(__FILE__, __LINE__), gasnet_puti_nb_bulk(__VA_ARGS__))
#endif
#ifndef gasnet_puti_nbi_bulk
#define gasnet_puti_nbi_bulk(...) (gasneti_at(__FILE__, __LINE__), gasnet_puti_nbi_bulk(__VA_ARGS__))
#endif
#ifndef gasnet_geti_bulk
#define gasnet_geti_bulk(...) (gasneti_at(__FILE__, __LINE__), gasnet_geti_bulk(__VA_ARGS__))
#endif
#ifndef gasnet_geti_nb_bulk
#define gasnet_geti_nb_bulk(...) (gasneti_at(__FILE__, __LINE__), gasnet_geti_nb_bulk(__VA_ARGS__))
#endif
#ifndef gasnet_geti_nbi_bulk
#define gasnet_geti_nbi_bulk(...) (gasneti_at(__FILE__, __LINE__), gasnet_geti_nbi_bulk(__VA_ARGS__))
#endif
#ifndef gasnet_puts_bulk
#define gasnet_puts_bulk(...) (gasneti_at(__FILE__, __LINE__), gasnet_puts_bulk(__VA_ARGS__))
#endif
#ifndef gasnet_puts_nb_bulk
#define gasnet_puts_nb_bulk(...) (gasneti_at(__FILE__, __LINE__), gasnet_puts_nb_bulk(__VA_ARGS__))
#endif
#ifndef gasnet_puts_nbi_bulk
#define gasnet_puts_nbi_bulk(...) (gasneti_at(__FILE__, __LINE__), gasnet_puts_nbi_bulk(__VA_ARGS__))
#endif
#ifndef gasnet_gets_bulk
#define gasnet_gets_bulk(...) (gasneti_at(__FILE__, __LINE__), gasnet_gets_bulk(__VA_ARGS__))
#endif
#ifndef gasnet_gets_nb_bulk
#define gasnet_gets_nb_bulk(...) (gasneti_at(__FILE__, __LINE__), gasnet_gets_nb_bulk(__VA_ARGS__))
#endif
#ifndef gasnet_gets_nbi_bulk
#define gasnet_gets_nbi_bulk(...) (gasneti_at(__FILE__, __LINE__), gasnet_gets_nbi_bulk(__VA_ARGS__))
#endif
#ifndef gex_VIS_StridedPutBlocking
#define gex_VIS_StridedPutBlocking(...) (gasneti_at(__FILE__, __LINE__), gex_VIS_StridedPutBlocking(__VA_ARGS__))
#endif
#ifndef gex_VIS_StridedPutNB
#define gex_VIS_StridedPutNB(...) (gasneti_at(__FILE__, __LINE__), gex_VIS_StridedPutNB(__VA_ARGS__))
#endif
#ifndef gex_VIS_StridedPutNBI
#define gex_VIS_StridedPutNBI(...) (gasneti_at(__FILE__, __LINE__), gex_VIS_StridedPutNBI(__VA_ARGS__))
#endif
#ifndef gex_VIS_StridedGetBlocking
#define gex_VIS_StridedGetBlocking(...) (gasneti_at(__FILE__, __LINE__), gex_VIS_StridedGetBlocking(__VA_ARGS__))
#endif
#ifndef gex_VIS_StridedGetNB
#define gex_VIS_StridedGetNB(...) (gasneti_at(__FILE__, __LINE__), gex_VIS_StridedGetNB(__VA_ARGS__))
#endif
#ifndef gex_VIS_StridedGetNBI
#define gex_VIS_StridedGetNBI(...) (gasneti_at(__FILE__, __LINE__), gex_VIS_StridedGetNBI(__VA_ARGS__))
#endif
#endif
#endif
