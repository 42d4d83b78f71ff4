// After local completion a put's source may be overwritten: the old contents arrive.
#include "check_ex.h"

enum { N = 24 };
static const size_t SIZES[] = {8, 1000, 5000, 100000};

int main(int argc, char **argv) {
  gex_Rank_t r;
  int size, i;
  char *src = NULL;
  check_start(&argc, &argv, NULL, 0, MiB(8));
  r = next_rank();
  src = (char *)malloc(100000);
  for (size = 0; size < COUNT_OF(SIZES); size++) {
    size_t n = SIZES[size];
    gex_Event_t ev[N], lc;
    char *at = seg(r);
    for (i = 0; i < N; i++, at += n) { /* now */
      fill(src, n, (unsigned)i);
      ev[i] = gex_RMA_PutNB(world, r, at, src, n, GEX_EVENT_NOW, 0);
    }
    for (; i < 2 * N; i++, at += n) { /* a leaf */
      fill(src, n, (unsigned)i);
      gex_Event_WaitAll(&ev[i - N], 1, 0);
      ev[i - N] = gex_RMA_PutNB(world, r, at, src, n, &lc, 0);
      if (i % 2) gex_Event_Wait(lc);
      else while (gex_Event_Test(lc)) gasnet_AMPoll();
    }
    for (; i < 3 * N; i++, at += n) { /* with the implicit ones */
      fill(src, n, (unsigned)i);
      CHECK(!gex_RMA_PutNBI(world, r, at, src, n, i % 2 ? GEX_EVENT_GROUP : GEX_EVENT_NOW, 0));
      if (i % 2) gex_NBI_Wait(GEX_EC_LC, 0);
    }
    memset(src, 0, n);
    gex_Event_WaitAll(ev, N, 0);
    gex_NBI_Wait(GEX_EC_ALL, 0);
    barrier();
    for (i = 0, at = seg(me); i < 3 * N; i++, at += n) CHECK(filled(at, n, (unsigned)i));
    barrier();
  }
  return check_end();
}
