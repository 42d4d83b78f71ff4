// The _all and _some syncs put GASNET_INVALID_HANDLE where an operation completed, skip invalid entries, and _some completes at least one.
#include "check.h"

enum { N = 40, EACH = 3000 };
static unsigned char src[N][EACH], dst[N][EACH];
static int invalid(gasnet_handle_t *h) {
  int i, n = 0;
  for (i = 0; i < N; i++) n += h[i] == GASNET_INVALID_HANDLE;
  return n;
}

int main(int argc, char **argv) {
  gasnet_handle_t h[N];
  gasnet_node_t r;
  int i, round, before;
  check_start(&argc, &argv, NULL, 0, MiB(1));
  r = next_rank();
  for (round = 0; round < 12; round++) {
    for (i = 0; i < N; i++) {
      fill(src[i], EACH, (unsigned)(i + round));
      h[i] = i % 3 == 2 ? GASNET_INVALID_HANDLE : gasnet_put_nb_bulk(r, seg(r) + (size_t)i * EACH, src[i], EACH);
    }
    switch (round % 4) {
      case 0: gasnet_wait_syncnb_all(h, N); break;
      case 1: while (gasnet_try_syncnb_all(h, N) != GASNET_OK) ; break;
      case 2:
        while ((before = invalid(h)) < N) {
          gasnet_wait_syncnb_some(h, N);
          CHECK(invalid(h) > before);
        }
        break;
      case 3:
        while ((before = invalid(h)) < N)
          if (gasnet_try_syncnb_some(h, N) == GASNET_OK) CHECK(invalid(h) > before);
          else CHECK_EQ(invalid(h), before);
        break;
    }
    CHECK_EQ(invalid(h), N);
    for (i = 0; i < N; i++)
      if (i % 3 != 2) h[i] = gasnet_get_nb_bulk(dst[i], r, seg(r) + (size_t)i * EACH, EACH);
    gasnet_wait_syncnb_all(h, N);
    for (i = 0; i < N; i++)
      if (i % 3 != 2) CHECK(filled(dst[i], EACH, (unsigned)(i + round)));
  }
  return check_end();
}
