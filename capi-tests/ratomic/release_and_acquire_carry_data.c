// A rank that reads a flag with ACQ that was set with REL sees the data that were put before.
// By messages the library orders the two. Where memory is mapped, most processors do so even if the operations do not require it:
// there shapes/atomics_order.sh (inline C) and tests/loom_ratomic.rs (the library) check the orders.
#include "domains.h"

enum { ROUNDS = 300, BYTES = 1024 };

int main(int argc, char **argv) {
  gex_AD_t ad;
  char data[BYTES];
  int round;
  domains_start(&argc, &argv);
  ad = domain_of(GEX_DT_U64, GEX_OP_SET | GEX_OP_GET | GEX_OP_FADD);
  memset(seg(me), 0, KiB(8));
  barrier();
  for (round = 1; round <= ROUNDS; round++) {
    /* To the next rank: data, then the flag; the flag in the other word means that it has been read. */
    gex_Rank_t to = next_rank(), from = prev_rank();
    uint64_t seen;
    fill(data, BYTES, me + (unsigned)round);
    gex_RMA_PutBlocking(world, to, seg(to) + 4096, data, BYTES, 0);
    gex_Event_Wait(gex_AD_OpNB_U64(ad, NULL, to, seg(to), GEX_OP_SET, (uint64_t)round, 0, GEX_FLAG_AD_REL));
    do {
      gasnet_AMPoll();
      if (round % 2)
        gex_Event_Wait(gex_AD_OpNB_U64(ad, &seen, me, seg(me), GEX_OP_GET, 0, 0, GEX_FLAG_AD_ACQ | GEX_FLAG_AD_MY_RANK));
      else
        gex_Event_Wait(gex_AD_OpNB_U64(ad, &seen, me, seg(me), GEX_OP_FADD, 0, 0, GEX_FLAG_AD_ACQ | GEX_FLAG_AD_MY_NBRHD));
    } while (seen < (uint64_t)round);
    CHECK(filled(seg(me) + 4096, BYTES, from + (unsigned)round));
    gex_Event_Wait(gex_AD_OpNB_U64(ad, NULL, from, seg(from) + 64, GEX_OP_SET, (uint64_t)round, 0, GEX_FLAG_AD_REL));
    do {
      gasnet_AMPoll();
      gex_Event_Wait(gex_AD_OpNB_U64(ad, &seen, me, seg(me) + 64, GEX_OP_GET, 0, 0, GEX_FLAG_AD_ACQ));
    } while (seen < (uint64_t)round);
  }
  barrier();
  gex_AD_Destroy(ad);
  return check_end();
}
