// A release client, too, is stopped when it asks a domain for an operation that the domain was not created with; the inline leaves the check to the call.
// ranks: 2
// modes: seq
// every case: exit nonzero
// case operation: stderr /gex_AD_OpNB_U32.*opcode 0x20 /
// case type: stderr /gex_AD_OpNB_I32.*GEX_DT_U32/
// case rank: stderr /gex_AD_OpNBI_U32.*tgt_rank 2 /
// case destroyed: stderr /gex_AD_OpNBI_U32.*destroyed/
// case null: stderr /gex_AD_OpNB_U32.*GEX_AD_INVALID/
#include "domains.h"

int main(int argc, char **argv) {
  const char *which;
  uint32_t result;
  gex_AD_t ad;
  domains_start(&argc, &argv);
  which = argc > 1 ? argv[1] : "";
  ad = domain_of(GEX_DT_U32, GEX_OP_FADD | GEX_OP_GET);
  if (me != 0) { barrier(); return check_end(); }
  if (!strcmp(which, "operation")) gex_Event_Wait(gex_AD_OpNB_U32(ad, &result, 1, seg(1), GEX_OP_MULT, 1, 0, 0));
  if (!strcmp(which, "type")) gex_Event_Wait(gex_AD_OpNB_I32(ad, (int32_t *)&result, 1, seg(1), GEX_OP_GET, 1, 0, 0));
  if (!strcmp(which, "rank")) gex_AD_OpNBI_U32(ad, &result, nranks, seg(1), GEX_OP_GET, 1, 0, 0);
  if (!strcmp(which, "null")) gex_Event_Wait(gex_AD_OpNB_U32(GEX_AD_INVALID, &result, 1, seg(1), GEX_OP_GET, 1, 0, 0));
  if (!strcmp(which, "destroyed")) {
    gex_AD_Destroy(ad);
    gex_AD_OpNBI_U32(ad, &result, 1, seg(1), GEX_OP_GET, 1, 0, 0);
  }
  fprintf(stderr, "ERROR: nobody objected to: %s\n", which);
  fflush(stderr);
  _exit(0);
}
