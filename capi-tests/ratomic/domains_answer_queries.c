// Queries on a domain return its arguments and the client's pointer; thousands of domains are created and destroyed.
#include "domains.h"

int main(int argc, char **argv) {
  const gex_OP_t ops = GEX_OP_FADD | GEX_OP_SET | GEX_OP_GET;
  gex_AD_t ad = GEX_AD_INVALID, other = GEX_AD_INVALID, many[200];
  uint64_t value;
  int i, round, mine;
  domains_start(&argc, &argv);
  gex_AD_Create(&ad, world, GEX_DT_U64, ops, GEX_FLAG_AD_FAVOR_MY_NBRHD);
  gex_AD_Create(&other, world, GEX_DT_FLT, GEX_OP_GET, 0);
  CHECK(ad != GEX_AD_INVALID && other != GEX_AD_INVALID && ad != other);
  CHECK(gex_AD_QueryFlags(ad) == GEX_FLAG_AD_FAVOR_MY_NBRHD && gex_AD_QueryFlags(other) == 0);
  CHECK(gex_AD_QueryTM(ad) == world && gex_AD_QueryTM(other) == world);
  CHECK(gex_AD_QueryDT(ad) == GEX_DT_U64 && gex_AD_QueryDT(other) == GEX_DT_FLT);
  CHECK(gex_AD_QueryOps(ad) == ops && gex_AD_QueryOps(other) == GEX_OP_GET);
  CHECK(gex_AD_QueryCData(ad) == NULL);
  gex_AD_SetCData(ad, &mine);
  CHECK(gex_AD_QueryCData(ad) == &mine && gex_AD_QueryCData(other) == NULL);
  for (round = 0; round < 50; round++) {
    for (i = 0; i < COUNT_OF(many); i++) {
      many[i] = domain_of(GEX_DT_U64, ops);
      CHECK(many[i] != ad && many[i] != other && (!i || many[i] != many[i - 1]));
    }
    for (i = 0; i < COUNT_OF(many); i++) gex_AD_Destroy(many[i]);
  }
  CHECK(gex_AD_QueryCData(ad) == &mine && gex_AD_QueryOps(ad) == ops);
  gex_Event_Wait(gex_AD_OpNB_U64(ad, NULL, me, seg(me), GEX_OP_SET, 5, 0, 0));
  gex_Event_Wait(gex_AD_OpNB_U64(ad, &value, me, seg(me), GEX_OP_FADD, 1, 0, 0));
  CHECK_EQ(value, 5);
  gex_AD_Destroy(ad);
  gex_AD_Destroy(other);
  return check_end();
}
