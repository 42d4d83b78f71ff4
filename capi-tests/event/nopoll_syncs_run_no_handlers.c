// The _nopoll tries find completed operations as well, given polls elsewhere.
#include "check.h"

int main(int argc, char **argv) {
  gasnet_handle_t h[3];
  static unsigned char a[3][1000], b[3][1000];
  gasnet_node_t r;
  int i, round;
  check_start(&argc, &argv, NULL, 0, KiB(64));
  r = next_rank();
  for (round = 0; round < 30; round++) {
    for (i = 0; i < 3; i++) fill(a[i], 1000, (unsigned)(i + round)), h[i] = gasnet_put_nb_bulk(r, seg(r) + i * 1000, a[i], 1000);
    while (gasnet_try_syncnb_all_nopoll(h, 3) != GASNET_OK) gasnet_AMPoll();
    for (i = 0; i < 3; i++) h[i] = gasnet_get_nb_bulk(b[i], r, seg(r) + i * 1000, 1000);
    while (gasnet_try_syncnb_nopoll(h[0]) != GASNET_OK) gasnet_AMPoll();
    h[0] = GASNET_INVALID_HANDLE;
    while (h[1] != GASNET_INVALID_HANDLE || h[2] != GASNET_INVALID_HANDLE)
      if (gasnet_try_syncnb_some_nopoll(h, 3) != GASNET_OK) gasnet_AMPoll();
    for (i = 0; i < 3; i++) CHECK(filled(b[i], 1000, (unsigned)(i + round)));
  }
  return check_end();
}
