/* Generated from src/abi/layout.rs by `make headers`: what rustc laid out, checked by the C compiler. */
#ifndef GASNETI_LAYOUT_H
#define GASNETI_LAYOUT_H
#include <gasneti/abi.h>
#if defined(__cplusplus) && __cplusplus >= 201103L
#define GASNETI_STATIC_ASSERT(cond, text) static_assert(cond, text)
#elif defined(__cplusplus)
#define GASNETI_STATIC_ASSERT(cond, text) GASNETI_ARRAY_ASSERT(cond, __LINE__)
#define GASNETI_ARRAY_ASSERT(cond, line) GASNETI_ARRAY_OF_LINE(cond, line)
#define GASNETI_ARRAY_OF_LINE(cond, line) extern char gasneti_layout_##line[(cond) ? 1 : -1]
#elif defined(__GNUC__)
#define GASNETI_STATIC_ASSERT(cond, text) __extension__ _Static_assert(cond, text)
#else
#define GASNETI_STATIC_ASSERT(cond, text) _Static_assert(cond, text)
#endif
GASNETI_STATIC_ASSERT(sizeof(gasnet_seginfo_t) == 16, "size of gasnet_seginfo_t");
GASNETI_STATIC_ASSERT(offsetof(gasnet_seginfo_t, addr) == 0, "offset of gasnet_seginfo_t.addr");
GASNETI_STATIC_ASSERT(offsetof(gasnet_seginfo_t, size) == 8, "offset of gasnet_seginfo_t.size");
GASNETI_STATIC_ASSERT(sizeof(gasnet_nodeinfo_t) == 24, "size of gasnet_nodeinfo_t");
GASNETI_STATIC_ASSERT(offsetof(gasnet_nodeinfo_t, host) == 0, "offset of gasnet_nodeinfo_t.host");
GASNETI_STATIC_ASSERT(offsetof(gasnet_nodeinfo_t, supernode) == 4, "offset of gasnet_nodeinfo_t.supernode");
GASNETI_STATIC_ASSERT(offsetof(gasnet_nodeinfo_t, offset) == 8, "offset of gasnet_nodeinfo_t.offset");
GASNETI_STATIC_ASSERT(offsetof(gasnet_nodeinfo_t, auxoffset) == 16, "offset of gasnet_nodeinfo_t.auxoffset");
GASNETI_STATIC_ASSERT(sizeof(gasneti_client_record_t) == 24, "size of gasneti_client_record_t");
GASNETI_STATIC_ASSERT(offsetof(gasneti_client_record_t, abi) == 0, "offset of gasneti_client_record_t.abi");
GASNETI_STATIC_ASSERT(offsetof(gasneti_client_record_t, threads) == 4, "offset of gasneti_client_record_t.threads");
GASNETI_STATIC_ASSERT(offsetof(gasneti_client_record_t, debug) == 5, "offset of gasneti_client_record_t.debug");
GASNETI_STATIC_ASSERT(offsetof(gasneti_client_record_t, segment) == 6, "offset of gasneti_client_record_t.segment");
GASNETI_STATIC_ASSERT(offsetof(gasneti_client_record_t, heap) == 7, "offset of gasneti_client_record_t.heap");
GASNETI_STATIC_ASSERT(offsetof(gasneti_client_record_t, conduit) == 8, "offset of gasneti_client_record_t.conduit");
GASNETI_STATIC_ASSERT(offsetof(gasneti_client_record_t, file) == 16, "offset of gasneti_client_record_t.file");
GASNETI_STATIC_ASSERT(sizeof(gasneti_wait_t) == 64, "size of gasneti_wait_t");
GASNETI_STATIC_ASSERT(offsetof(gasneti_wait_t, opaque) == 0, "offset of gasneti_wait_t.opaque");
GASNETI_STATIC_ASSERT(offsetof(gasneti_wait_t, file) == 48, "offset of gasneti_wait_t.file");
GASNETI_STATIC_ASSERT(offsetof(gasneti_wait_t, line) == 56, "offset of gasneti_wait_t.line");
GASNETI_STATIC_ASSERT(sizeof(gasnet_hsl_t) == 8, "size of gasnet_hsl_t");
GASNETI_STATIC_ASSERT(offsetof(gasnet_hsl_t, word) == 0, "offset of gasnet_hsl_t.word");
GASNETI_STATIC_ASSERT(offsetof(gasnet_hsl_t, state) == 4, "offset of gasnet_hsl_t.state");
GASNETI_STATIC_ASSERT(sizeof(gasnet_coll_fn_entry_t) == 16, "size of gasnet_coll_fn_entry_t");
GASNETI_STATIC_ASSERT(offsetof(gasnet_coll_fn_entry_t, fnptr) == 0, "offset of gasnet_coll_fn_entry_t.fnptr");
GASNETI_STATIC_ASSERT(offsetof(gasnet_coll_fn_entry_t, flags) == 8, "offset of gasnet_coll_fn_entry_t.flags");
GASNETI_STATIC_ASSERT(sizeof(gasneti_tm_t) == 16, "size of gasneti_tm_t");
GASNETI_STATIC_ASSERT(offsetof(gasneti_tm_t, bias) == 0, "offset of gasneti_tm_t.bias");
GASNETI_STATIC_ASSERT(offsetof(gasneti_tm_t, rank) == 8, "offset of gasneti_tm_t.rank");
GASNETI_STATIC_ASSERT(offsetof(gasneti_tm_t, size) == 12, "offset of gasneti_tm_t.size");
GASNETI_STATIC_ASSERT(sizeof(gex_EP_Location_t) == 8, "size of gex_EP_Location_t");
GASNETI_STATIC_ASSERT(offsetof(gex_EP_Location_t, gex_rank) == 0, "offset of gex_EP_Location_t.gex_rank");
GASNETI_STATIC_ASSERT(offsetof(gex_EP_Location_t, gex_ep_index) == 4, "offset of gex_EP_Location_t.gex_ep_index");
GASNETI_STATIC_ASSERT(sizeof(gex_RankInfo_t) == 4, "size of gex_RankInfo_t");
GASNETI_STATIC_ASSERT(offsetof(gex_RankInfo_t, gex_jobrank) == 0, "offset of gex_RankInfo_t.gex_jobrank");
GASNETI_STATIC_ASSERT(sizeof(gex_Memvec_t) == 16, "size of gex_Memvec_t");
GASNETI_STATIC_ASSERT(offsetof(gex_Memvec_t, gex_addr) == 0, "offset of gex_Memvec_t.gex_addr");
GASNETI_STATIC_ASSERT(offsetof(gex_Memvec_t, gex_len) == 8, "offset of gex_Memvec_t.gex_len");
GASNETI_STATIC_ASSERT(sizeof(gex_ProgressThreadInfo_t) == 32, "size of gex_ProgressThreadInfo_t");
GASNETI_STATIC_ASSERT(offsetof(gex_ProgressThreadInfo_t, gex_device_list) == 0, "offset of gex_ProgressThreadInfo_t.gex_device_list");
GASNETI_STATIC_ASSERT(offsetof(gex_ProgressThreadInfo_t, gex_thread_roles) == 8, "offset of gex_ProgressThreadInfo_t.gex_thread_roles");
GASNETI_STATIC_ASSERT(offsetof(gex_ProgressThreadInfo_t, gex_progress_fn) == 16, "offset of gex_ProgressThreadInfo_t.gex_progress_fn");
GASNETI_STATIC_ASSERT(offsetof(gex_ProgressThreadInfo_t, gex_progress_arg) == 24, "offset of gex_ProgressThreadInfo_t.gex_progress_arg");
GASNETI_STATIC_ASSERT(sizeof(gasneti_ad_t) == 48, "size of gasneti_ad_t");
GASNETI_STATIC_ASSERT(offsetof(gasneti_ad_t, by_rank) == 0, "offset of gasneti_ad_t.by_rank");
GASNETI_STATIC_ASSERT(offsetof(gasneti_ad_t, by_jobrank) == 8, "offset of gasneti_ad_t.by_jobrank");
GASNETI_STATIC_ASSERT(offsetof(gasneti_ad_t, size) == 16, "offset of gasneti_ad_t.size");
GASNETI_STATIC_ASSERT(offsetof(gasneti_ad_t, job_size) == 20, "offset of gasneti_ad_t.job_size");
GASNETI_STATIC_ASSERT(offsetof(gasneti_ad_t, ops) == 24, "offset of gasneti_ad_t.ops");
GASNETI_STATIC_ASSERT(sizeof(gasneti_mk_cuda_uva_t) == 4, "size of gasneti_mk_cuda_uva_t");
GASNETI_STATIC_ASSERT(offsetof(gasneti_mk_cuda_uva_t, gex_CUdevice) == 0, "offset of gasneti_mk_cuda_uva_t.gex_CUdevice");
GASNETI_STATIC_ASSERT(sizeof(gasneti_mk_hip_t) == 4, "size of gasneti_mk_hip_t");
GASNETI_STATIC_ASSERT(offsetof(gasneti_mk_hip_t, gex_hipDevice) == 0, "offset of gasneti_mk_hip_t.gex_hipDevice");
GASNETI_STATIC_ASSERT(sizeof(gasneti_mk_ze_t) == 24, "size of gasneti_mk_ze_t");
GASNETI_STATIC_ASSERT(offsetof(gasneti_mk_ze_t, gex_zeDevice) == 0, "offset of gasneti_mk_ze_t.gex_zeDevice");
GASNETI_STATIC_ASSERT(offsetof(gasneti_mk_ze_t, gex_zeContext) == 8, "offset of gasneti_mk_ze_t.gex_zeContext");
GASNETI_STATIC_ASSERT(offsetof(gasneti_mk_ze_t, gex_zeMemoryOrdinal) == 16, "offset of gasneti_mk_ze_t.gex_zeMemoryOrdinal");
GASNETI_STATIC_ASSERT(sizeof(gex_MK_Create_args_t) == 40, "size of gex_MK_Create_args_t");
GASNETI_STATIC_ASSERT(offsetof(gex_MK_Create_args_t, gex_flags) == 0, "offset of gex_MK_Create_args_t.gex_flags");
GASNETI_STATIC_ASSERT(offsetof(gex_MK_Create_args_t, gex_class) == 8, "offset of gex_MK_Create_args_t.gex_class");
GASNETI_STATIC_ASSERT(offsetof(gex_MK_Create_args_t, gex_args) == 16, "offset of gex_MK_Create_args_t.gex_args");
GASNETI_STATIC_ASSERT(sizeof(gasneti_hot_t) == 64, "size of gasneti_hot_t");
GASNETI_STATIC_ASSERT(offsetof(gasneti_hot_t, mynode) == 0, "offset of gasneti_hot_t.mynode");
GASNETI_STATIC_ASSERT(offsetof(gasneti_hot_t, nodes) == 4, "offset of gasneti_hot_t.nodes");
GASNETI_STATIC_ASSERT(offsetof(gasneti_hot_t, serial) == 8, "offset of gasneti_hot_t.serial");
GASNETI_STATIC_ASSERT(offsetof(gasneti_hot_t, debug) == 9, "offset of gasneti_hot_t.debug");
GASNETI_STATIC_ASSERT(offsetof(gasneti_hot_t, all_direct) == 10, "offset of gasneti_hot_t.all_direct");
GASNETI_STATIC_ASSERT(offsetof(gasneti_hot_t, reserved) == 11, "offset of gasneti_hot_t.reserved");
#endif
