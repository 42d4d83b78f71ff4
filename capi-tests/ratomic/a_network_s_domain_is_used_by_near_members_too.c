// Where a network executes a domain's operations, it does so for targets that share memory with the initiator, too: ranks of two
// supernodes and threads of them lose no update, though this network's operations are atomic with respect to each other only.
// ranks: 4 3
// needs: [ -z "$LAUNCH" ]
// env: GASNET_CONDUIT=loopback GASNET_SUPERNODE_MAXSIZE=2
#include "domains.h"

enum { EACH = 300 };

static gex_AD_t words, others;
static uint64_t results[2][EACH];

static void add(int thread) {
  gex_Rank_t last = nranks - 1;
  uint64_t *sum = (uint64_t *)seg(0), *lock = (uint64_t *)seg(last) + 1;
  int i;
  for (i = 0; i < EACH; i++) {
    uint64_t old = 0;
    gex_AD_OpNBI_U64(words, &results[thread][i], 0, sum, GEX_OP_FADD, 2, 0, 0);
    if (i % 10) continue;
    /* Another domain of the same operations: a compare-and-swap loop that increments. */
    gex_Event_Wait(gex_AD_OpNB_U64(others, &old, last, lock, GEX_OP_GET, 0, 0, 0));
    for (;;) {
      uint64_t found = 0;
      gex_Event_Wait(gex_AD_OpNB_U64(others, &found, last, lock, GEX_OP_FCAS, old, old + 1, 0));
      if (found == old) break;
      old = found;
    }
  }
  gex_NBI_Wait(GEX_EC_RMW, 0);
}

int main(int argc, char **argv) {
  int threads = 1, t, i;
  uint64_t got, n;
  domains_start(&argc, &argv);
  memset(seg(me), 0, KiB(4));
  words = domain_of(GEX_DT_U64, GEX_OP_FADD | GEX_OP_GET);
  others = domain_of(GEX_DT_U64, GEX_OP_FCAS | GEX_OP_GET);
  CHECK_EQ(gex_AD_QueryOps(words), GEX_OP_FADD | GEX_OP_GET);
  barrier();
#ifdef GASNET_PAR
  threads = 2;
  on_threads(threads, add);
#else
  add(0);
#endif
  barrier();
  n = (uint64_t)nranks * (unsigned)threads * EACH;
  gex_Event_Wait(gex_AD_OpNB_U64(words, &got, 0, seg(0), GEX_OP_GET, 0, 0, 0));
  CHECK_EQ(got, 2 * n);
  gex_Event_Wait(gex_AD_OpNB_U64(others, &got, nranks - 1, seg(nranks - 1) + 8, GEX_OP_GET, 0, 0, 0));
  CHECK_EQ(got, n / 10);
  for (t = 0; t < threads; t++)
    for (i = 0; i < EACH; i++) CHECK(results[t][i] < 2 * n && results[t][i] % 2 == 0);
  barrier();
  gex_AD_Destroy(words);
  gex_AD_Destroy(others);
  return check_end();
}
