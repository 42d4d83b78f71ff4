// A debug client that misuses an event, the implicit operations or an access region is stopped, and the call is named.
// ranks: 2
// modes: par
// debug: yes
// env: GASNET_RMA=am
// every case: exit nonzero; stderr /@AT@/
// case test_no_op: stderr /gex_Event_Test.*NO_OP/
// case wait_no_op: stderr /gex_Event_Wait.*NO_OP/
// case list_no_op: stderr /gex_Event_WaitAll.*NO_OP/
// case leaf_of_no_op: stderr /gex_Event_QueryLeaf.*NO_OP/
// case twice: stderr /gex_Event_Wait.*already/
// case twice_in_a_list: stderr /gex_Event_WaitAll.*already/
// case leaf_after_root: stderr /gex_Event_Test.*already/
// case no_event: stderr /gex_Event_Test.*was not returned by GASNet/
// case beyond_all_events: stderr /gex_Event_Wait.*was not returned by GASNet/
// case list_is_null: stderr /gex_Event_TestSome.*NULL/
// case list_flags: stderr /gex_Event_TestAll.*flags/
// case leaf_of_leaf: stderr /gex_Event_QueryLeaf.*leaf/
// case leaf_of_deferred: stderr /gex_Event_QueryLeaf.*no leaf/
// case leaf_of_get: stderr /gex_Event_QueryLeaf.*no leaf/
// case leaf_of_put: stderr /gex_Event_QueryLeaf.*no leaf of category/
// case leaf_of_all: stderr /gex_Event_QueryLeaf.*event_category/
// case nbi_flags: stderr /gex_NBI_Test.*flags/
// case nbi_mask: stderr /gex_NBI_Wait.*event_mask/
// case nbi_in_region: stderr /gex_NBI_Wait.*access region/
// case region_twice: stderr /gex_NBI_BeginAccessRegion.*open/
// case region_none: stderr /gex_NBI_EndAccessRegion.*no access region/
// case region_flags: stderr /gex_NBI_BeginAccessRegion.*flags/
#include "../ex/misuse_ex.h"

static char big[KiB(256)];

static gex_Event_t start(gex_Event_t *lc_opt) {
  gex_Event_t ev = gex_RMA_PutNB(world, 1, seg(1), big, sizeof big, lc_opt, 0);
  MUST(ev != GEX_EVENT_INVALID);
  return ev;
}
static gex_Event_t start_get(void) {
  gex_Event_t ev = gex_RMA_GetNB(world, big, 1, seg(1), sizeof big, 0);
  MUST(ev != GEX_EVENT_INVALID);
  return ev;
}

int main(int argc, char **argv) {
  gex_Event_t ev, lc, list[2];
  check_start(&argc, &argv, NULL, 0, MiB(1));
  misuse_begin(argc, argv);
  if (me != 0) {
    barrier();
    return check_end();
  }
  MISUSE("test_no_op", gex_Event_Test(GEX_EVENT_NO_OP));
  MISUSE("wait_no_op", gex_Event_Wait(GEX_EVENT_NO_OP));
  MISUSE("list_no_op", list[0] = start(GEX_EVENT_DEFER); list[1] = GEX_EVENT_NO_OP; gex_Event_WaitAll(list, 2, 0));
  MISUSE("leaf_of_no_op", gex_Event_QueryLeaf(GEX_EVENT_NO_OP, GEX_EC_LC));
  MISUSE("twice", ev = start(GEX_EVENT_DEFER); gex_Event_Wait(ev); gex_Event_Wait(ev));
  MISUSE("twice_in_a_list", list[0] = list[1] = start(GEX_EVENT_DEFER); gex_Event_WaitAll(list, 2, 0));
  MISUSE("leaf_after_root", ev = start(&lc); lc = gex_Event_QueryLeaf(ev, GEX_EC_LC); gex_Event_Wait(ev); gex_Event_Test(lc));
  MISUSE("no_event", gex_Event_Test((gex_Event_t)(void *)big));
  MISUSE("beyond_all_events", start(GEX_EVENT_DEFER); gex_Event_Wait((gex_Event_t)(((uintptr_t)1 << 47) - (1 << 20))));
  MISUSE("list_is_null", gex_Event_TestSome(NULL, 2, 0));
  MISUSE("list_flags", gex_Event_TestAll(list, 0, 1));
  MISUSE("leaf_of_leaf", ev = start(&lc); lc = gex_Event_QueryLeaf(ev, GEX_EC_LC); gex_Event_QueryLeaf(lc, GEX_EC_LC));
  MISUSE("leaf_of_deferred", ev = start(GEX_EVENT_DEFER); gex_Event_QueryLeaf(ev, GEX_EC_LC));
  MISUSE("leaf_of_get", ev = start_get(); gex_Event_QueryLeaf(ev, GEX_EC_LC));
  MISUSE("leaf_of_put", ev = start(&lc); gex_Event_QueryLeaf(ev, GEX_EC_PUT));
  MISUSE("leaf_of_all", gex_Event_QueryLeaf(GEX_EVENT_INVALID, GEX_EC_ALL));
  MISUSE("nbi_flags", gex_NBI_Test(GEX_EC_ALL, 2));
  MISUSE("nbi_mask", gex_NBI_Wait(0x100, 0));
  MISUSE("nbi_in_region", gex_NBI_BeginAccessRegion(0); gex_NBI_Wait(GEX_EC_ALL, 0));
  MISUSE("region_twice", gex_NBI_BeginAccessRegion(0); gex_NBI_BeginAccessRegion(0));
  MISUSE("region_none", gex_NBI_EndAccessRegion(0));
  MISUSE("region_flags", gex_NBI_BeginAccessRegion(4));
  barrier();
  return check_end();
}
