// A release client that names a rank outside the job is stopped with a fatal error, in any call; no memory is touched.
// ranks: 2
// modes: par seq
// every case: exit 134; stderr /FATAL ERROR/
// case put: chatter
// case put_far: chatter
// case get: chatter
// case put_val: chatter
// case get_nb: chatter
// case memset: chatter
// case short: chatter
// case medium: chatter
// case long: chatter
// case vector: chatter
// case strided: chatter
// case team_put: chatter
// case team_short: chatter
// case atomic: chatter
// case broadcast: chatter
// case reduce: chatter
// case scatter: chatter
#include "check.h"
#include <gasnet_coll.h>
#include <gasnet_ratomic.h>
#include <gasnet_vis.h>

#define BAD(name, ...) do { if (strcmp(argv[1], name) == 0) { __VA_ARGS__; fprintf(stderr, "nobody objected to: %s\n", name); _exit(0); } } while (0)
static void nop(gasnet_token_t t) { (void)t; }

int main(int argc, char **argv) {
  gasnet_handlerentry_t table[] = { HANDLER(200, nop) };
  static uint64_t buf[8];
  gasnet_memvec_t piece = { buf, 8 };
  size_t strides[1] = { 16 }, count[2] = { 8, 2 };
  gasnet_handle_t h;
  gex_TM_t tm;
  gex_AD_t ad;
  volatile gasnet_node_t node = 7, far = 70000;
  int flags = GASNET_COLL_LOCAL | GASNET_COLL_IN_MYSYNC | GASNET_COLL_OUT_MYSYNC;
  check_start(&argc, &argv, table, 1, KiB(64));
  gasnet_QueryGexObjects(NULL, NULL, &tm, NULL);
  gex_AD_Create(&ad, tm, GEX_DT_U64, GEX_OP_ADD, 0);
  if (me == 0) {
    BAD("put", gasnet_put(node, seg(1), buf, 8));
    BAD("put_far", gasnet_put(far, seg(1), buf, 8));
    BAD("get", gasnet_get(buf, node, seg(1), 8));
    BAD("put_val", gasnet_put_val(node, seg(1), 1, 8));
    BAD("get_nb", h = gasnet_get_nb(buf, node, seg(1), 8); gasnet_wait_syncnb(h));
    BAD("memset", gasnet_memset(node, seg(1), 0, 8));
    BAD("short", gasnet_AMRequestShort0(node, 200));
    BAD("medium", gasnet_AMRequestMedium0(node, 200, buf, 8));
    BAD("long", gasnet_AMRequestLong0(node, 200, buf, 8, seg(1)));
    BAD("vector", gasnet_putv_bulk(node, 1, &piece, 1, &piece));
    BAD("strided", gasnet_gets_bulk(buf, strides, node, seg(1), strides, count, 1));
    BAD("team_put", gex_RMA_PutBlocking(tm, node, seg(1), buf, 8, 0));
    BAD("team_short", gex_AM_RequestShort0(tm, node, 200, 0));
    BAD("atomic", gex_AD_OpNBI_U64(ad, NULL, node, seg(1), GEX_OP_ADD, 1, 0, 0));
    BAD("broadcast", gex_Event_Wait(gex_Coll_BroadcastNB(tm, node, buf, buf, 8, 0)));
    BAD("reduce", gex_Event_Wait(gex_Coll_ReduceToOneNB(tm, node, buf, buf, GEX_DT_U64, 8, 1, GEX_OP_ADD, NULL, NULL, 0)));
    BAD("scatter", gasnet_coll_scatter(GASNET_TEAM_ALL, buf, node, buf, 8, flags));
  }
  barrier();
  return check_end();
}
