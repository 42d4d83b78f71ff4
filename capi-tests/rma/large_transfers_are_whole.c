// Puts and gets of 48 MiB, above every internal limit, arrive whole, several at once.
// ranks: 1 2
#include "check.h"

int main(int argc, char **argv) {
  size_t n = MiB(48), i;
  uint64_t *src, *dst;
  gasnet_handle_t h[2];
  gasnet_node_t r;
  check_start(&argc, &argv, NULL, 0, MiB(128));
  r = next_rank();
  src = (uint64_t *)malloc(n), dst = (uint64_t *)calloc(n, 1);
  for (i = 0; i < n / 8; i++) src[i] = i * 0x9E3779B97F4A7C15ull + me;
  h[0] = gasnet_put_nb_bulk(r, seg(r), src, n);
  h[1] = gasnet_put_nb_bulk(r, seg(r) + n, src, n);
  gasnet_wait_syncnb_all(h, 2);
  gasnet_get(dst, r, seg(r) + n, n);
  CHECK(memcmp(src, dst, n) == 0);
  barrier();
  for (i = 0; i < n / 8; i += 511) CHECK(((uint64_t *)(void *)seg(me))[i] == i * 0x9E3779B97F4A7C15ull + prev_rank());
  return check_end();
}
