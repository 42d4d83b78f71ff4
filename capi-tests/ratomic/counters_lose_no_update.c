// All ranks, and threads of them, add to the same words of rank 0 and of the last rank by different operations: nothing is
// lost, and no two fetches of one counter see the same number.
#include "domains.h"

enum { EACH = 600, MOST = 4 };

static gex_AD_t integers, doubles, words;
static int threads = 1;
static unsigned char seen[8 * MOST * EACH];

static void add(int thread) {
  gex_Rank_t last = nranks - 1;
  uint64_t *ticket = (uint64_t *)seg(0);
  int32_t *sum = (int32_t *)seg(last) + 64;
  double *real = (double *)seg(0) + 96;
  uint32_t *most = (uint32_t *)seg(last) + 128;
  int i;
  for (i = 0; i < EACH; i++) {
    uint64_t got = UINT64_MAX;
    double before;
    gex_Event_Wait(gex_AD_OpNB_U64(words, &got, 0, ticket, i % 2 ? GEX_OP_FADD : GEX_OP_FINC, 1, 0, 0));
    if (got < sizeof seen) CHECK(__atomic_exchange_n(&seen[got], 1, __ATOMIC_RELAXED) == 0);
    else CHECK(got < sizeof seen);
    gex_AD_OpNBI_I32(integers, NULL, last, sum, i % 2 ? GEX_OP_ADD : GEX_OP_SUB, i % 2 ? 7 : 4, 0, 0);
    gex_AD_OpNBI_DBL(doubles, &before, 0, real, i % 2 ? GEX_OP_ADD : GEX_OP_FADD, 0.5, 0, 0);
    gex_NBI_Wait(GEX_EC_RMW, 0);
    gex_Event_Wait(gex_AD_OpNB_I32(integers, NULL, last, most, GEX_OP_MAX, (int32_t)(me * MOST) + thread * EACH + i, 0, 0));
  }
}

int main(int argc, char **argv) {
  uint64_t n, tickets;
  int32_t sum, most;
  double real;
  domains_start(&argc, &argv);
  if (nranks > 8) return check_end();
  memset(seg(me), 0, KiB(4));
  integers = domain_of(GEX_DT_I32, GEX_OP_ADD | GEX_OP_SUB | GEX_OP_MAX | GEX_OP_GET);
  doubles = domain_of(GEX_DT_DBL, GEX_OP_ADD | GEX_OP_FADD | GEX_OP_GET);
  words = domain_of(GEX_DT_U64, GEX_OP_FADD | GEX_OP_FINC | GEX_OP_GET);
  barrier();
#ifdef GASNET_PAR
  threads = 3;
  on_threads(threads, add);
#else
  add(0);
#endif
  barrier();
  n = (uint64_t)nranks * (unsigned)threads * EACH;
  gex_Event_Wait(gex_AD_OpNB_U64(words, &tickets, 0, seg(0), GEX_OP_GET, 0, 0, 0));
  CHECK_EQ(tickets, n);
  gex_Event_Wait(gex_AD_OpNB_I32(integers, &sum, nranks - 1, seg(nranks - 1) + 256, GEX_OP_GET, 0, 0, 0));
  CHECK_EQ(sum, (int64_t)n / 2 * 3);
  gex_Event_Wait(gex_AD_OpNB_DBL(doubles, &real, 0, seg(0) + 768, GEX_OP_GET, 0, 0, 0));
  CHECK_EQ(real * 2, n);
  gex_Event_Wait(gex_AD_OpNB_I32(integers, &most, nranks - 1, seg(nranks - 1) + 512, GEX_OP_GET, 0, 0, 0));
  CHECK_EQ(most, (nranks - 1) * MOST + (unsigned)(threads - 1) * EACH + EACH - 1);
  barrier();
  gex_AD_Destroy(integers);
  gex_AD_Destroy(doubles);
  gex_AD_Destroy(words);
  return check_end();
}
