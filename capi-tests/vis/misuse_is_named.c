// A debug client whose two sides differ in length, whose lists are NULL, or whose rank or remote range is invalid is stopped with the call, the argument and its own file and line.
// ranks: 2
// modes: par
// debug: yes
// every case: exit nonzero; stderr /@AT@/
// case totals_putv: stderr /gex_VIS_VectorPutBlocking.*16.*24/
// case totals_getv: stderr /gex_VIS_VectorGetNB.*24.*16/
// case totals_puti: stderr /gex_VIS_IndexedPutNBI.*dstcount.*srccount/
// case totals_geti: stderr /gasnet_geti_bulk.*dstcount.*srccount/
// case null_dst: stderr /gex_VIS_VectorPutNB.*dstlist.*NULL/
// case null_src: stderr /gasnet_putv_nbi_bulk.*srclist.*NULL/
// case null_indexed: stderr /gex_VIS_IndexedGetBlocking.*srclist.*NULL/
// case null_strides: stderr /gex_VIS_StridedPutNB.*dststrides.*NULL/
// case null_srcstrides: stderr /gasnet_gets_nb_bulk.*srcstrides.*NULL/
// case null_count: stderr /gex_VIS_StridedGetNBI.*count.*NULL/
// case too_many_bytes: stderr /gex_VIS_StridedPutBlocking.*count/
// case strides_dst: stderr /gasnet_puts_bulk.*dststrides.0. is 4, less than the 8 bytes/
// case strides_src: stderr /gasnet_gets_nbi_bulk.*srcstrides.1. is 64, less than the 512 bytes/
// case twice_putv: stderr /gasnet_putv_nb_bulk.*twice/
// case twice_geti: stderr /gex_VIS_IndexedGetNB.*twice/
// case twice_puts: stderr /gex_VIS_StridedPutNBI.*twice/
// case rank_putv: stderr /gex_VIS_VectorPutBlocking.*rank 2/
// case rank_gets: stderr /gasnet_gets_bulk.*node 2/
// case outside_putv: stderr /gex_VIS_VectorPutNB.*segment/
// case outside_geti: stderr /gex_VIS_IndexedGetBlocking.*segment/
// case outside_puts: stderr /gex_VIS_StridedPutBlocking.*segment/
// case outside_backwards: stderr /gex_VIS_StridedGetBlocking.*segment/
// case team_null: stderr /gex_VIS_VectorGetBlocking.*tm/
// case long_completion: stderr /gex_VIS_SetPeerCompletionHandler.*nbytes/
// case immediate_completion: stderr /gex_VIS_VectorPutNB.*IMMEDIATE/
// case library_handler: stderr /gex_VIS_SetPeerCompletionHandler.*handler/
#include "../debug/misuse.h"
#include <gasnet_vis.h>

int main(int argc, char **argv) {
  gex_TM_t tm;
  char local[4096];
  char *far, *end;
  gex_Memvec_t two[2], three[3], outside[2];
  gasnet_memvec_t far1[1];
  void *addr[2], *far_addr[2], *out_addr[2];
  ptrdiff_t stride[1] = { 64 }, back[1] = { -64 };
  size_t ustride[1] = { 64 }, count[1] = { 8 }, ucount[2] = { 8, 8 }, huge[1] = { (size_t)1 << 62 };
  size_t four[1] = { 4 }, planes[2] = { 64, 512 }, flat[2] = { 64, 64 }, cube[3] = { 8, 8, 2 };
  ptrdiff_t near[1] = { -7 };
  gasnet_memvec_t same[2];
  void *twice[2];
  gasnet_node_t r;
  misuse_begin(argc, argv);
  check_start(&argc, &argv, NULL, 0, KiB(64));
  gasnet_QueryGexObjects(NULL, NULL, &tm, NULL);
  r = next_rank(), far = seg(r), end = far + KiB(64);
  two[0].gex_addr = far, two[1].gex_addr = far + 64, two[0].gex_len = two[1].gex_len = 8;
  three[0].gex_addr = three[1].gex_addr = three[2].gex_addr = local;
  three[0].gex_len = three[1].gex_len = three[2].gex_len = 8;
  outside[0] = two[0], outside[1].gex_addr = end - 4, outside[1].gex_len = 8;
  same[0].addr = far, same[1].addr = far + 7, same[0].len = same[1].len = 8, twice[0] = twice[1] = local;
  far1[0].addr = far, far1[0].len = 8;
  addr[0] = local, addr[1] = local + 64, far_addr[0] = far, far_addr[1] = far + 64, out_addr[0] = far, out_addr[1] = end - 7;
  if (me == 0) {
    MISUSE("totals_putv", gex_VIS_VectorPutBlocking(tm, r, 2, two, 3, three, 0));
    MISUSE("totals_getv", gex_VIS_VectorGetNB(tm, 3, three, r, 2, two, 0));
    MISUSE("totals_puti", gex_VIS_IndexedPutNBI(tm, r, 2, far_addr, 8, 2, addr, 4, 0));
    MISUSE("totals_geti", gasnet_geti_bulk(2, addr, 8, r, 1, far_addr, 8));
    MISUSE("null_dst", gex_VIS_VectorPutNB(tm, r, 2, NULL, 2, three, 0));
    MISUSE("null_src", gasnet_putv_nbi_bulk(r, 1, far1, 1, NULL));
    MISUSE("null_indexed", gex_VIS_IndexedGetBlocking(tm, 2, addr, 8, r, 2, NULL, 8, 0));
    MISUSE("null_strides", gex_VIS_StridedPutNB(tm, r, far, NULL, local, stride, 8, count, 1, 0));
    MISUSE("null_srcstrides", gasnet_gets_nb_bulk(local, ustride, r, far, NULL, ucount, 1));
    MISUSE("null_count", gex_VIS_StridedGetNBI(tm, local, stride, r, far, stride, 8, NULL, 1, 0));
    MISUSE("too_many_bytes", gex_VIS_StridedPutBlocking(tm, r, far, stride, local, stride, 8, huge, 1, 0));
    MISUSE("strides_dst", gasnet_puts_bulk(r, far, four, local, ustride, ucount, 1));
    MISUSE("strides_src", gasnet_gets_nbi_bulk(local, planes, r, far, flat, cube, 2));
    MISUSE("twice_putv", gasnet_putv_nb_bulk(r, 2, same, 2, (const gasnet_memvec_t *)(const void *)three));
    MISUSE("twice_geti", gex_VIS_IndexedGetNB(tm, 2, twice, 8, r, 2, far_addr, 8, 0));
    MISUSE("twice_puts", gex_VIS_StridedPutNBI(tm, r, far + 64, near, local, stride, 8, count, 1, 0));
    MISUSE("rank_putv", gex_VIS_VectorPutBlocking(tm, 2, 2, two, 2, three, 0));
    MISUSE("rank_gets", gasnet_gets_bulk(local, ustride, 2, far, ustride, ucount, 1));
    MISUSE("outside_putv", gex_VIS_VectorPutNB(tm, r, 2, outside, 2, three, 0));
    MISUSE("outside_geti", gex_VIS_IndexedGetBlocking(tm, 2, addr, 8, r, 2, out_addr, 8, 0));
    MISUSE("outside_puts", gex_VIS_StridedPutBlocking(tm, r, end - 64 * 7 - 4, stride, local, stride, 8, count, 1, 0));
    MISUSE("outside_backwards", gex_VIS_StridedGetBlocking(tm, local, stride, r, far + 64 * 7 - 8, back, 8, count, 1, 0));
    MISUSE("team_null", gex_VIS_VectorGetBlocking(GEX_TM_INVALID, 2, three, r, 2, two, 0));
    MISUSE("long_completion", gex_VIS_SetPeerCompletionHandler(200, local, GEX_VIS_MAX_PEERCOMPLETION + 1, 0));
    MISUSE("immediate_completion", gex_VIS_SetPeerCompletionHandler(200, local, 8, 0); gex_VIS_VectorPutNB(tm, r, 2, two, 2, three, GEX_FLAG_IMMEDIATE));
    MISUSE("library_handler", gex_VIS_SetPeerCompletionHandler(4, local, 4, 0));
  }
  barrier();
  return check_end();
}
