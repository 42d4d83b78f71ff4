// Operations with IMMEDIATE are started, and then do their work once, or not started, and then do nothing, however many are
// in flight.
#include "domains.h"

enum { COUNT = 30000 };

int main(int argc, char **argv) {
  uint64_t *results = (uint64_t *)calloc(COUNT, sizeof *results), started = 0, sum;
  gex_AD_t ad;
  gex_Rank_t to;
  int i;
  domains_start(&argc, &argv);
  to = next_rank();
  ad = domain_of(GEX_DT_U64, GEX_OP_FADD | GEX_OP_ADD | GEX_OP_GET);
  memset(seg(me), 0, 4096);
  barrier();
  if (me % 2 == 0) {
    for (i = 0; i < COUNT; i++) {
      results[i] = UINT64_MAX;
      if (i % 1000) {
        started += gex_AD_OpNBI_U64(ad, &results[i], to, seg(to), GEX_OP_FADD, 1, 0, GEX_FLAG_IMMEDIATE) == 0;
      } else {
        gex_Event_t event = gex_AD_OpNB_U64(ad, NULL, to, seg(to), GEX_OP_ADD, 1, 0, GEX_FLAG_IMMEDIATE);
        if (event == GEX_EVENT_NO_OP) continue;
        started++;
        gex_Event_Wait(event);
      }
    }
    gex_NBI_Wait(GEX_EC_RMW, 0);
    gex_Event_Wait(gex_AD_OpNB_U64(ad, &sum, to, seg(to), GEX_OP_GET, 0, 0, 0));
    CHECK_EQ(sum, started);
    CHECK(started > 0);
    for (i = 0; i < COUNT; i++) CHECK(results[i] == UINT64_MAX || results[i] < started);
  }
  barrier();
  gex_AD_Destroy(ad);
  free(results);
  return check_end();
}
