// Tens of thousands of implicit operations of all categories are started before any is waited for; each category is
// synchronised by itself.
#include "domains.h"

enum { COUNT = 20000 };

int main(int argc, char **argv) {
  uint64_t *results = (uint64_t *)calloc(COUNT, sizeof *results), value = 0;
  gex_AD_t ad;
  gex_Rank_t to;
  char *at;
  int i;
  domains_start(&argc, &argv);
  to = next_rank(), at = seg(to) + 64 * (me + 1);
  ad = domain_of(GEX_DT_U64, GEX_OP_FADD | GEX_OP_SET | GEX_OP_GET);
  gex_AD_OpNBI_U64(ad, NULL, to, at, GEX_OP_SET, 100, 0, 0);
  gex_NBI_Wait(GEX_EC_PUT, 0);
  gex_AD_OpNBI_U64(ad, &value, to, at, GEX_OP_GET, 0, 0, 0);
  gex_NBI_Wait(GEX_EC_GET, 0);
  CHECK_EQ(value, 100);
  for (i = 0; i < COUNT; i++) {
    gex_AD_OpNBI_U64(ad, &results[i], to, at, GEX_OP_FADD, 1, 0, 0);
    gex_AD_OpNBI_U64(ad, NULL, to, at + 8, GEX_OP_SET, (uint64_t)i, 0, 0);
    gex_AD_OpNBI_U64(ad, &value, to, at, GEX_OP_GET, 0, 0, 0);
  }
  gex_NBI_Wait(GEX_EC_RMW, 0);
  for (i = 0; i < COUNT; i++) CHECK(results[i] >= 100 && results[i] < 100 + COUNT);
  gex_NBI_Wait(GEX_EC_ALL, 0);
  gex_AD_OpNBI_U64(ad, &value, to, at, GEX_OP_GET, 0, 0, 0);
  while (gex_NBI_Test(GEX_EC_GET, 0) != GASNET_OK) gasnet_AMPoll();
  CHECK_EQ(value, 100 + COUNT);
  barrier();
  gex_AD_Destroy(ad);
  free(results);
  return check_end();
}
