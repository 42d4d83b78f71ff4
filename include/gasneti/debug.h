/* Generated from src/abi by `make headers`. Edit the Rust source, not this file. */
#ifndef GASNETI_DEBUG_H
#define GASNETI_DEBUG_H
#ifdef GASNET_DEBUG
/* Leaves the caller's place for messages about misuse, then calls. */
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
#ifndef gasnet_hold_interrupts
#define gasnet_hold_interrupts(...) (gasneti_at(__FILE__, __LINE__), gasnet_hold_interrupts(__VA_ARGS__))
#endif
#ifndef gasnet_resume_interrupts
#define gasnet_resume_interrupts(...) (gasneti_at(__FILE__, __LINE__), gasnet_resume_interrupts(__VA_ARGS__))
#endif
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
#ifndef gasnet_hold_interrupts
#define gasnet_hold_interrupts(...) (gasneti_at(__FILE__, __LINE__), gasnet_hold_interrupts(__VA_ARGS__))
#endif
#ifndef gasnet_resume_interrupts
#define gasnet_resume_interrupts(...) (gasneti_at(__FILE__, __LINE__), gasnet_resume_interrupts(__VA_ARGS__))
#endif
#endif
#endif
