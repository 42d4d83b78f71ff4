// Non-bulk nb and nbi puts have taken their source when they return: overwriting it changes nothing.
#include "check.h"

enum { N = 200 };
int main(int argc, char **argv) {
  static const size_t sizes[] = { 8, 64, 1000, 8192, 70000 };
  static unsigned char src[70000], got[70000];
  static gasnet_handle_t h[N];
  gasnet_node_t r;
  int k, i;
  check_start(&argc, &argv, NULL, 0, MiB(32));
  r = next_rank();
  for (k = 0; k < COUNT_OF(sizes); k++) {
    for (i = 0; i < N; i++) {
      fill(src, sizes[k], (unsigned)i);
      h[i] = GASNET_INVALID_HANDLE;
      if (i % 2) h[i] = gasnet_put_nb(r, seg(r) + (size_t)i * 70016, src, sizes[k]);
      else gasnet_put_nbi(r, seg(r) + (size_t)i * 70016, src, sizes[k]);
    }
    memset(src, 0xEE, sizes[k]);
    gasnet_wait_syncnb_all(h, N);
    gasnet_wait_syncnbi_puts();
    for (i = 0; i < N; i++) {
      gasnet_get(got, r, seg(r) + (size_t)i * 70016, sizes[k]);
      CHECK(filled(got, sizes[k], (unsigned)i));
    }
  }
  return check_end();
}
