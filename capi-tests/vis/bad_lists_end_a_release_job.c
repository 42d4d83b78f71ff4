// Also in release programs: sides of different totals, lists that are NULL but have entries, and more bytes than there is
// memory end the job with one line that names call and argument, on-node and by messages; memory beside is untouched.
// ranks: 2
// modes: par
// every case: exit 134; stderr /\*\*\* FATAL ERROR/
// case putv_totals: stderr /gasnet_putv_bulk.*16.*24/
// case getv_totals: stderr /gasnet_getv_nb_bulk.*24.*16/
// case getv_empty: stderr /gex_VIS_VectorGetNBI.*0.*24/
// case puti_totals: stderr /gasnet_puti_nbi_bulk.*dstcount/
// case geti_totals: stderr /gex_VIS_IndexedGetNB.*dstcount/
// case putv_null: stderr /gex_VIS_VectorPutBlocking.*dstlist.*NULL/
// case geti_null: stderr /gasnet_geti_bulk.*srclist.*NULL/
// case puts_null: stderr /gasnet_puts_bulk.*count.*NULL/
// case gets_null: stderr /gex_VIS_StridedGetNB.*srcstrides.*NULL/
// case putv_huge: stderr /gasnet_putv_bulk.*too many/
// case puts_huge: stderr /gasnet_puts_nb_bulk.*memory/
// case rank: stderr /gasnet_gets_bulk.*node 2/
#include "vis.h"

int main(int argc, char **argv) {
  static char local[4096];
  const char *want = argc > 1 ? argv[1] : "";
  gex_Memvec_t two[2], three[3], huge[2];
  void *addr[3] = {local, local + 64, local + 128}, *far_addr[2];
  ptrdiff_t stride[1] = {64};
  size_t ustride[1] = {64}, count[1] = {8}, ucount[2] = {8, 8}, most[2] = {8, (size_t)1 << 62};
  gasnet_node_t r;
  char *far;
  vis_start(&argc, &argv, NULL, 0, KiB(64));
  r = next_rank(), far = seg(r);
  two[0].gex_addr = far_addr[0] = far, two[1].gex_addr = far_addr[1] = far + 64;
  three[0].gex_addr = addr[0], three[1].gex_addr = addr[1], three[2].gex_addr = addr[2];
  two[0].gex_len = two[1].gex_len = three[0].gex_len = three[1].gex_len = three[2].gex_len = 8;
  huge[0] = two[0], huge[1] = two[1], huge[0].gex_len = huge[1].gex_len = SIZE_MAX / 2 + 1;
#define WRONG(name, call) if (me == 0 && strcmp(want, name) == 0) call
#define V(list) ((const gasnet_memvec_t *)(const void *)(list))
  WRONG("putv_totals", gasnet_putv_bulk(r, 2, V(two), 3, V(three)));
  WRONG("getv_totals", gasnet_wait_syncnb(gasnet_getv_nb_bulk(3, V(three), r, 2, V(two))));
  WRONG("getv_empty", gex_VIS_VectorGetNBI(tm, 0, NULL, r, 3, three, 0));
  WRONG("puti_totals", gasnet_puti_nbi_bulk(r, 2, far_addr, 8, 3, addr, 8));
  WRONG("geti_totals", gex_Event_Wait(gex_VIS_IndexedGetNB(tm, 3, addr, 8, r, 2, far_addr, 8, 0)));
  WRONG("putv_null", gex_VIS_VectorPutBlocking(tm, r, 2, NULL, 2, three, 0));
  WRONG("geti_null", gasnet_geti_bulk(2, addr, 8, r, 2, NULL, 8));
  WRONG("puts_null", gasnet_puts_bulk(r, far, ustride, local, ustride, NULL, 1));
  WRONG("gets_null", gex_Event_Wait(gex_VIS_StridedGetNB(tm, local, stride, r, far, NULL, 8, count, 1, 0)));
  WRONG("putv_huge", gasnet_putv_bulk(r, 2, V(huge), 2, V(three)));
  WRONG("puts_huge", gasnet_wait_syncnb(gasnet_puts_nb_bulk(r, far, ustride, local, ustride, most, 1)));
  WRONG("rank", gasnet_gets_bulk(local, ustride, 2, far, ustride, ucount, 1));
  barrier();
  return check_end();
}
