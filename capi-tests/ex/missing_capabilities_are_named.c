// A debug client that uses an endpoint without the required capability is stopped with the call and its place.
// ranks: 1
// modes: par
// debug: yes
// every case: exit nonzero; stderr /@AT@/
// case put: stderr /gex_RMA_PutBlocking.*GEX_EP_CAPABILITY_RMA/
// case get_value: stderr /gex_RMA_GetBlockingVal.*GEX_EP_CAPABILITY_RMA/
// case am: stderr /gex_AM_RequestShort.*GEX_EP_CAPABILITY_AM/
// case prepare: stderr /gex_AM_PrepareRequestMedium.*GEX_EP_CAPABILITY_AM/
// case vis: stderr /gex_VIS_VectorPutBlocking.*GEX_EP_CAPABILITY_VIS/
// case barrier: stderr /gex_Coll_BarrierNB.*GEX_EP_CAPABILITY_COLL/
// case domain: stderr /gex_AD_Create.*GEX_EP_CAPABILITY_AD/
#include "misuse_ex.h"
#include <gasnet_ratomic.h>
#include <gasnet_vis.h>

static gex_TM_t team_of(gex_EP_Capabilities_t capabilities) {
  gex_EP_t ep;
  gex_TM_t tm;
  gex_EP_Location_t location;
  MUST(gex_EP_Create(&ep, client, capabilities, 0) == GASNET_OK);
  location.gex_rank = 0, location.gex_ep_index = gex_EP_QueryIndex(ep);
  gex_TM_Create(&tm, 1, world, &location, 1, NULL, 0, GEX_FLAG_TM_NO_SCRATCH);
  return tm;
}

int main(int argc, char **argv) {
  gex_Memvec_t piece;
  gex_TM_t am, rma;
  gex_AD_t ad;
  int value = 0;
  check_start(&argc, &argv, NULL, 0, KiB(64));
  misuse_begin(argc, argv);
  am = team_of(GEX_EP_CAPABILITY_AM), rma = team_of(GEX_EP_CAPABILITY_RMA);
  piece.gex_addr = seg(0), piece.gex_len = 4;
  MISUSE("put", gex_RMA_PutBlocking(am, 0, seg(0), &value, 4, 0));
  MISUSE("get_value", gex_RMA_GetBlockingVal(am, 0, seg(0), 4, 0));
  MISUSE("am", gex_AM_RequestShort0(rma, 0, 200, 0));
  MISUSE("prepare", gex_AM_PrepareRequestMedium(rma, 0, NULL, 4, 4, NULL, 0, 0));
  MISUSE("vis", gex_VIS_VectorPutBlocking(rma, 0, 1, &piece, 1, &piece, 0));
  MISUSE("barrier", gex_Event_Wait(gex_Coll_BarrierNB(rma, 0)));
  MISUSE("domain", gex_AD_Create(&ad, rma, GEX_DT_U64, GEX_OP_GET, 0));
  return check_end();
}
