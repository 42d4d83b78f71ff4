// memset in its three forms sets exactly the range, of any size and place, to the low byte of the value.
#include "check.h"

int main(int argc, char **argv) {
  static const size_t sizes[] = { 0, 1, 3, 8, 15, 16, 63, 64, 100, 4096, 65536, 100001, 1 << 20 };
  static unsigned char around[(1 << 20) + 64];
  gasnet_node_t turn, r;
  int k, form;
  check_start(&argc, &argv, NULL, 0, MiB(4));
  for (turn = 0; turn < 2; turn++) {
    r = turn ? next_rank() : me;
    for (k = 0; k < COUNT_OF(sizes); k++)
      for (form = 0; form < 3; form++) {
        size_t n = sizes[k];
        char *at = seg(r) + 100 + k * 7;
        int value = 0x100 * form + 0xC0 + k;
        memset(around, 0x33, n + 32);
        gasnet_put_bulk(r, at - 16, around, n + 32);
        if (form == 0) gasnet_memset(r, at, value, n);
        else if (form == 1) gasnet_wait_syncnb(gasnet_memset_nb(r, at, value, n));
        else {
          gasnet_memset_nbi(r, at, value, n);
          gasnet_wait_syncnbi_puts();
        }
        gasnet_get_bulk(around, r, at - 16, n + 32);
        CHECK(all_bytes(around, 16, 0x33));
        CHECK(all_bytes(around + 16, n, value & 0xFF));
        CHECK(all_bytes(around + 16 + n, 16, 0x33));
      }
    barrier();
  }
  return check_end();
}
