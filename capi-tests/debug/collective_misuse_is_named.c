// A debug client is stopped with call and place over collectives with a bad team, root, buffer, type, operation or flags, and over teams made or ended wrongly.
// ranks: 1 2
// modes: par
// debug: yes
// every case: exit nonzero; stderr /@AT@/
// case null_team: stderr /gex_Coll_BarrierNB.*tm/
// case pair: stderr /gex_Coll_BarrierNB.*pair/
// case pair_split: stderr /gex_TM_Split.*pair/
// case root: stderr /gex_Coll_BroadcastNB.*root 5/
// case root_one: stderr /gex_Coll_ReduceToOneNB.*root 5/
// case null_dst: stderr /gex_Coll_BroadcastNB.*dst is NULL/
// case null_src: stderr /gex_Coll_ReduceToAllNB.*src is NULL/
// case type: stderr /gex_Coll_ReduceToAllNB.*dt 0x3/
// case width: stderr /gex_Coll_ReduceToAllNB.*dt_sz is 4/
// case no_width: stderr /gex_Coll_ReduceToAllNB.*dt_sz is 0/
// case no_count: stderr /gex_Coll_ReduceToAllNB.*dt_cnt is 0/
// case bits_of_doubles: stderr /gex_Coll_ReduceToAllNB.*op 0x1/
// case subtraction: stderr /gex_Coll_ReduceToAllNB.*op 0x10/
// case add_of_user_type: stderr /gex_Coll_ReduceToAllNB.*op 0x8/
// case no_function: stderr /gex_Coll_ReduceToAllNB.*user_op is NULL/
// case too_long: stderr /gex_Coll_ReduceToAllNB.*address space/
// case negative_color: stderr /gex_TM_Split.*color -1/
// case no_scratch: stderr /gex_TM_Split.*scratch_size is 0/
// case scratch_outside: stderr /gex_TM_Split.*outside the segment/
// case create_flags: stderr /gex_TM_Create.*0 of GEX_FLAG_TM/
// case create_rank: stderr /gex_TM_Create.*args\[0\] has rank 9/
// case create_twice: stderr /gex_TM_Create.*second time/
// case create_count: stderr /gex_TM_Create.*num_new_tms is 2/
// case destroy_all: stderr /gex_TM_Destroy.*primordial/
// case destroy_busy: stderr /gex_TM_Destroy.*in flight/
// case destroyed: stderr /gex_Coll_BarrierNB.*destroyed/
// case sync_flags: stderr /gasnet_coll_broadcast.*IN_/
// case two_sync_flags: stderr /gasnet_coll_gather_all.*OUT_/
// case image: stderr /gasnet_coll_scatter.*srcimage 7/
// case team_notify_twice: stderr /gasnet_coll_barrier_notify.*already in progress/
// case team_wait: stderr /gasnet_coll_barrier_wait.*no barrier is in progress/
#include "misuse.h"
#include <gasnet_coll.h>

int main(int argc, char **argv) {
  gex_Client_t client;
  gex_EP_t ep;
  gex_TM_t all, tm, pair;
  gex_Segment_t segment;
  gex_EP_Location_t list[2];
  double a[8] = { 0 }, b[8];
  int flags = GASNET_COLL_LOCAL | GASNET_COLL_IN_MYSYNC;
  check_start(&argc, &argv, NULL, 0, KiB(64));
  gasnet_QueryGexObjects(&client, &ep, &all, &segment);
  gex_TM_Split(&tm, all, 0, 0, NULL, 0, GEX_FLAG_TM_NO_SCRATCH);
  pair = gex_TM_Pair(ep, 0);
  memset(list, 0, sizeof list);
  misuse_begin(argc, argv);
  MISUSE("null_team", gex_Event_Wait(gex_Coll_BarrierNB(GEX_TM_INVALID, 0)));
  MISUSE("pair", gex_Event_Wait(gex_Coll_BarrierNB(pair, 0)));
  MISUSE("pair_split", gex_TM_Split(&tm, pair, 0, 0, NULL, 0, GEX_FLAG_TM_NO_SCRATCH));
  MISUSE("root", gex_Event_Wait(gex_Coll_BroadcastNB(all, 5, a, a, 8, 0)));
  MISUSE("root_one", gex_Event_Wait(gex_Coll_ReduceToOneNB(all, 5, b, a, GEX_DT_DBL, 8, 1, GEX_OP_ADD, NULL, NULL, 0)));
  MISUSE("null_dst", gex_Event_Wait(gex_Coll_BroadcastNB(all, 0, NULL, a, 8, 0)));
  MISUSE("null_src", gex_Event_Wait(gex_Coll_ReduceToAllNB(all, b, NULL, GEX_DT_DBL, 8, 1, GEX_OP_ADD, NULL, NULL, 0)));
  MISUSE("type", gex_Event_Wait(gex_Coll_ReduceToAllNB(all, b, a, (gex_DT_t)3, 8, 1, GEX_OP_ADD, NULL, NULL, 0)));
  MISUSE("width", gex_Event_Wait(gex_Coll_ReduceToAllNB(all, b, a, GEX_DT_DBL, 4, 1, GEX_OP_ADD, NULL, NULL, 0)));
  MISUSE("no_width", gex_Event_Wait(gex_Coll_ReduceToAllNB(all, b, a, GEX_DT_USER, 0, 1, GEX_OP_USER, NULL, NULL, 0)));
  MISUSE("no_count", gex_Event_Wait(gex_Coll_ReduceToAllNB(all, b, a, GEX_DT_DBL, 8, 0, GEX_OP_ADD, NULL, NULL, 0)));
  MISUSE("bits_of_doubles", gex_Event_Wait(gex_Coll_ReduceToAllNB(all, b, a, GEX_DT_DBL, 8, 1, GEX_OP_AND, NULL, NULL, 0)));
  MISUSE("subtraction", gex_Event_Wait(gex_Coll_ReduceToAllNB(all, b, a, GEX_DT_DBL, 8, 1, GEX_OP_SUB, NULL, NULL, 0)));
  MISUSE("add_of_user_type", gex_Event_Wait(gex_Coll_ReduceToAllNB(all, b, a, GEX_DT_USER, 8, 1, GEX_OP_ADD, NULL, NULL, 0)));
  MISUSE("no_function", gex_Event_Wait(gex_Coll_ReduceToAllNB(all, b, a, GEX_DT_DBL, 8, 1, GEX_OP_USER, NULL, NULL, 0)));
  MISUSE("too_long", gex_Event_Wait(gex_Coll_ReduceToAllNB(all, b, a, GEX_DT_DBL, 8, SIZE_MAX / 2, GEX_OP_ADD, NULL, NULL, 0)));
  MISUSE("negative_color", gex_TM_Split(&tm, all, -1, 0, NULL, 0, GEX_FLAG_TM_NO_SCRATCH));
  MISUSE("no_scratch", gex_TM_Split(&tm, all, 0, 0, NULL, 0, 0));
  MISUSE("scratch_outside", gex_TM_Split(&tm, all, 0, 0, seg(me) + KiB(64) - 8, 4096, 0));
  MISUSE("create_flags", gex_TM_Create(&tm, 1, all, list, 1, NULL, 0, 0));
  MISUSE("create_rank", list[0].gex_rank = 9; gex_TM_Create(&tm, 1, all, list, 1, NULL, 0, GEX_FLAG_TM_NO_SCRATCH));
  MISUSE("create_twice", gex_TM_Create(&tm, 1, all, list, 2, NULL, 0, GEX_FLAG_TM_NO_SCRATCH));
  MISUSE("create_count", list[0].gex_rank = me; gex_TM_Create(&tm, 2, all, list, 1, NULL, 0, GEX_FLAG_TM_NO_SCRATCH));
  MISUSE("destroy_all", gex_TM_Destroy(all, NULL, 0));
  MISUSE("destroy_busy", gasnet_coll_barrier_notify(tm, 1, 0); gex_TM_Destroy(tm, NULL, 0));
  MISUSE("destroyed", gex_TM_Destroy(tm, NULL, 0); gex_Event_Wait(gex_Coll_BarrierNB(tm, 0)));
  MISUSE("sync_flags", gasnet_coll_broadcast(all, b, 0, a, 8, GASNET_COLL_LOCAL | GASNET_COLL_OUT_MYSYNC));
  MISUSE("two_sync_flags", gasnet_coll_gather_all(all, b, a, 8, flags | GASNET_COLL_OUT_MYSYNC | GASNET_COLL_OUT_ALLSYNC));
  MISUSE("image", gasnet_coll_scatter(all, b, 7, a, 8, flags | GASNET_COLL_OUT_MYSYNC));
  MISUSE("team_notify_twice", gasnet_coll_barrier_notify(tm, 1, 0); gasnet_coll_barrier_notify(tm, 1, 0));
  MISUSE("team_wait", gasnet_coll_barrier_wait(tm, 1, 0));
  return check_end();
}
