// A debug client with an overlapping destination, a false assertion in flags, or a transfer in a handler or while holding a lock is stopped with the call and its place.
// ranks: 2
// modes: par
// debug: yes
// every case: exit nonzero; stderr /@AT@/
// case strided_crossing: stderr /gex_VIS_StridedPutNB.*destination has the byte/
// case never_self: stderr /gex_VIS_IndexedPutNB.*NEVER_SELF/
// case never_nbrhd: stderr /gex_VIS_VectorGetBlocking.*_NBRHD/
// case in_handler: stderr /gex_VIS_VectorPutNBI.*handler/
// case while_locked: stderr /HSL USAGE VIOLATION: gasnet_putv_bulk/
#include "../debug/misuse.h"
#include <gasnet_vis.h>

static gex_TM_t tm;
static char local[4096];
static gex_Memvec_t src1, dst1;
static void handler(gasnet_token_t token) {
  (void)token;
  MISUSE("in_handler", gex_VIS_VectorPutNBI(tm, 1, 1, &dst1, 1, &src1, 0));
}

int main(int argc, char **argv) {
  gasnet_handlerentry_t table[] = { HANDLER(200, handler) };
  gasnet_hsl_t lock = GASNET_HSL_INITIALIZER;
  char *far;
  gex_Memvec_t ok[2], bad[2];
  gasnet_memvec_t one;
  void *near[1];
  ptrdiff_t s64[2] = { 64, 1024 }, crossing[2] = { 16, 24 };
  size_t u64s[2] = { 64, 1024 }, two[2] = { 2, 3 }, legacy[3] = { 8, 2, 3 };
  misuse_begin(argc, argv);
  check_start(&argc, &argv, table, 1, KiB(64));
  gasnet_QueryGexObjects(NULL, NULL, &tm, NULL);
  far = seg(1);
  ok[0].gex_addr = local, ok[1].gex_addr = local + 8, ok[0].gex_len = ok[1].gex_len = 8;
  bad[0].gex_addr = far + 100, bad[1].gex_addr = far + 107, bad[0].gex_len = bad[1].gex_len = 8;
  near[0] = local + 16;
  src1 = ok[0], dst1 = bad[0];
  one.addr = far, one.len = 8;
  if (me == 0) {
    /* Arrays that are in order, or cross without an overlap, are accepted. */
    crossing[1] = 8, gex_VIS_StridedPutBlocking(tm, 1, far, crossing, local, s64, 8, two, 1, 0);
    crossing[0] = 2, crossing[1] = 3, gex_VIS_StridedPutBlocking(tm, 1, far, crossing, local, s64, 1, (size_t[]){ 3, 2 }, 2, 0);
    gasnet_puts_bulk(1, far, u64s, local, u64s, legacy, 2);
    gex_VIS_VectorGetBlocking(tm, 2, ok, 1, 2, bad, 0);
    crossing[0] = 16, crossing[1] = 24;
    MISUSE("strided_crossing", gex_VIS_StridedPutNB(tm, 1, far, crossing, local, s64, 9, two, 2, 0));
    MISUSE("never_self", gex_VIS_IndexedPutNB(tm, 0, 1, near, 8, 1, near, 8, GEX_FLAG_PEER_NEVER_SELF));
    MISUSE("never_nbrhd", gex_VIS_VectorGetBlocking(tm, 1, &src1, 0, 1, &src1, GEX_FLAG_PEER_NEVER_NBRHD));
    MISUSE("while_locked", gasnet_hsl_lock(&lock); gasnet_putv_bulk(1, 1, &one, 1, (gasnet_memvec_t *)&one));
    if (!strcmp(misuse_case, "in_handler")) gasnet_AMRequestShort0(0, 200);
  }
  barrier();
  return check_end();
}
