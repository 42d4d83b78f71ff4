// Wrong arguments of remote atomics end a debug client's job with one line: the call, the argument, the place.
// ranks: 2
// modes: par
// debug: yes
// every case: exit nonzero; stderr /@AT@/
// case null_ad: stderr /gex_AD_OpNB_U64.*GEX_AD_INVALID/
// case no_ad: stderr /gex_AD_QueryOps.*not an atomic domain/
// case destroyed_ad: stderr /gex_AD_OpNBI_U64.*destroyed/
// case destroyed_twice: stderr /gex_AD_Destroy.*destroyed/
// case no_team: stderr /gex_AD_Create.*tm/
// case no_place: stderr /gex_AD_Create.*ad_p is NULL/
// case pair: stderr /gex_AD_Create.*gex_TM_Pair/
// case user_type: stderr /gex_AD_Create.*dt 0x40/
// case two_types: stderr /gex_AD_Create.*dt 0x3/
// case no_ops: stderr /gex_AD_Create.*ops 0x0/
// case bits_of_floats: stderr /gex_AD_Create.*ops 0x1.*GEX_DT_FLT/
// case user_op: stderr /gex_AD_Create.*ops 0x40000000/
// case op_of_no_domain: stderr /gex_AD_OpNB_U64.*opcode 0x20 /
// case two_ops: stderr /gex_AD_OpNB_U64.*opcode 0x40400 is not a single atomic operation/
// case no_op: stderr /gex_AD_OpNBI_U64.*opcode 0x0 /
// case other_type: stderr /gex_AD_OpNB_I64.*GEX_DT_U64.*GEX_DT_I64/
// case misaligned: stderr /gex_AD_OpNB_U64.*not aligned/
// case outside: stderr /gex_AD_OpNB_U64.*outside the segment .*rank 1 /
// case partly_outside: stderr /gex_AD_OpNB_U64.*outside the segment .*rank 1 /
// case null_result: stderr /gex_AD_OpNB_U64.*result_p is NULL/
// case rank: stderr /gex_AD_OpNB_U64.*tgt_rank 2 /
// case jobrank: stderr /gex_AD_OpNBI_U64.*tgt_rank 2 .*job/
// case not_my_rank: stderr /gex_AD_OpNB_U64.*GEX_FLAG_AD_MY_RANK/
// case in_a_handler: stderr /gex_AD_OpNB_U64.*handler/
#include "../debug/misuse.h"

#include <gasnet_ratomic.h>

static gex_AD_t ad;
static gex_TM_t world;

static gex_AD_t domain_of(gex_DT_t dt, gex_OP_t ops) {
  gex_AD_t made;
  gex_AD_Create(&made, world, dt, ops, 0);
  return made;
}

static void handler(gasnet_token_t token) {
  uint64_t result;
  (void)token;
  MISUSE("in_a_handler", gex_Event_Wait(gex_AD_OpNB_U64(ad, &result, me, seg(me), GEX_OP_GET, 0, 0, 0)));
}

int main(int argc, char **argv) {
  gasnet_handlerentry_t table[] = { HANDLER(200, handler) };
  uint64_t result;
  int64_t other;
  gex_AD_t old, bad;
  gex_EP_t ep;
  check_start(&argc, &argv, table, 1, KiB(64));
  misuse_begin(argc, argv);
  gasnet_QueryGexObjects(NULL, &ep, &world, NULL);
  ad = domain_of(GEX_DT_U64, GEX_OP_SET | GEX_OP_GET | GEX_OP_FADD);
  old = domain_of(GEX_DT_U64, GEX_OP_GET);
  gex_AD_Destroy(old);
  if (me != 0) { barrier(); return check_end(); }
  MISUSE("null_ad", gex_Event_Wait(gex_AD_OpNB_U64(GEX_AD_INVALID, &result, 1, seg(1), GEX_OP_GET, 0, 0, 0)));
  MISUSE("no_ad", gex_AD_QueryOps((gex_AD_t)(void *)(seg(0) + 64)));
  MISUSE("destroyed_ad", gex_AD_OpNBI_U64(old, &result, 1, seg(1), GEX_OP_GET, 0, 0, 0));
  MISUSE("destroyed_twice", gex_AD_Destroy(old));
  MISUSE("no_team", gex_AD_Create(&bad, GEX_TM_INVALID, GEX_DT_U64, GEX_OP_GET, 0));
  MISUSE("no_place", gex_AD_Create(NULL, world, GEX_DT_U64, GEX_OP_GET, 0));
  MISUSE("pair", gex_AD_Create(&bad, gex_TM_Pair(ep, 0), GEX_DT_U64, GEX_OP_GET, 0));
  MISUSE("user_type", gex_AD_Create(&bad, world, GEX_DT_USER, GEX_OP_GET, 0));
  MISUSE("two_types", gex_AD_Create(&bad, world, GEX_DT_I32 | GEX_DT_U32, GEX_OP_GET, 0));
  MISUSE("no_ops", gex_AD_Create(&bad, world, GEX_DT_U64, 0, 0));
  MISUSE("bits_of_floats", gex_AD_Create(&bad, world, GEX_DT_FLT, GEX_OP_AND, 0));
  MISUSE("user_op", gex_AD_Create(&bad, world, GEX_DT_U64, GEX_OP_USER, 0));
  MISUSE("op_of_no_domain", gex_Event_Wait(gex_AD_OpNB_U64(ad, &result, 1, seg(1), GEX_OP_MULT, 1, 0, 0)));
  MISUSE("two_ops", gex_Event_Wait(gex_AD_OpNB_U64(ad, &result, 1, seg(1), GEX_OP_FADD | GEX_OP_SET, 1, 0, 0)));
  MISUSE("no_op", gex_AD_OpNBI_U64(ad, &result, 1, seg(1), 0, 1, 0, 0));
  MISUSE("other_type", gex_Event_Wait(gex_AD_OpNB_I64(ad, &other, 1, seg(1), GEX_OP_GET, 1, 0, 0)));
  MISUSE("misaligned", gex_Event_Wait(gex_AD_OpNB_U64(ad, &result, 1, seg(1) + 4, GEX_OP_GET, 0, 0, 0)));
  MISUSE("outside", gex_Event_Wait(gex_AD_OpNB_U64(ad, &result, 1, seg(1) + seg_size(1), GEX_OP_GET, 0, 0, 0)));
  MISUSE("partly_outside", gex_Event_Wait(gex_AD_OpNB_U64(ad, &result, 1, seg(1) - 8, GEX_OP_GET, 0, 0, 0)));
  MISUSE("null_result", gex_Event_Wait(gex_AD_OpNB_U64(ad, NULL, 1, seg(1), GEX_OP_FADD, 1, 0, 0)));
  MISUSE("rank", gex_Event_Wait(gex_AD_OpNB_U64(ad, &result, nranks, seg(1), GEX_OP_GET, 0, 0, 0)));
  MISUSE("jobrank", gex_AD_OpNBI_U64(ad, &result, nranks, seg(1), GEX_OP_GET, 0, 0, GEX_FLAG_RANK_IS_JOBRANK));
  MISUSE("not_my_rank", gex_Event_Wait(gex_AD_OpNB_U64(ad, &result, 1, seg(1), GEX_OP_GET, 0, 0, GEX_FLAG_AD_MY_RANK)));
  gasnet_AMRequestShort0(0, 200);
  return check_end();
}
