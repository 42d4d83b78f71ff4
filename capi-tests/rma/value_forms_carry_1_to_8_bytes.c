// Value puts write the low-order nbytes and nothing beside them; value gets extend with zeros; for 1 to 8 bytes, aligned or not.
#include "check.h"

int main(int argc, char **argv) {
  const gasnet_register_value_t v = 0xF1E2D3C4B5A69788ull;
  gasnet_node_t r, turn;
  int n, off, form;
  check_start(&argc, &argv, NULL, 0, GASNET_PAGESIZE);
  for (turn = 0; turn < 2; turn++) {
    r = turn ? next_rank() : me;
    for (n = 1; n <= 8; n++)
      for (off = 1; off <= 9; off++)
        for (form = 0; form < 3; form++) {
          char *at = seg(r) + 64 + off;
          gasnet_register_value_t want = n == 8 ? v : v & (((gasnet_register_value_t)1 << 8 * n) - 1), got;
          unsigned char around[32];
          int i;
#if GASNET_DEBUG
          if (off % n) continue; /* the interface asks for alignment, and debug clients are held to it */
#endif
          memset(around, 0x55, sizeof around);
          gasnet_put_bulk(r, at - 8, around, 24);
          if (form == 0) gasnet_put_val(r, at, v, (size_t)n);
          else if (form == 1) gasnet_wait_syncnb(gasnet_put_nb_val(r, at, v, (size_t)n));
          else {
            gasnet_put_nbi_val(r, at, v, (size_t)n);
            gasnet_wait_syncnbi_puts();
          }
          if (form == 1) got = gasnet_wait_syncnb_valget(gasnet_get_nb_val(r, at, (size_t)n));
          else got = gasnet_get_val(r, at, (size_t)n);
          CHECK(got == want);
          gasnet_get_bulk(around, r, at - 8, 24);
          CHECK(memcmp(around + 8, &v, (size_t)n) == 0);
          for (i = 0; i < 24; i++)
            if (i < 8 || i >= 8 + n) CHECK_EQ(around[i], 0x55);
        }
    barrier();
  }
  return check_end();
}
