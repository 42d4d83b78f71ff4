// Value puts write the low 1 to 8 bytes and no others; value gets are zero-extended; any alignment.
#include "check_ex.h"

int main(int argc, char **argv) {
  size_t n, skew;
  int form;
  gex_Rank_t r;
  check_start(&argc, &argv, NULL, 0, KiB(64));
  r = next_rank();
  for (form = 0; form < 3; form++)
    for (n = 1; n <= SIZEOF_GEX_RMA_VALUE_T; n++)
      for (skew = 0; skew < 9; skew++) {
        gex_RMA_Value_t value = 0x8877665544332211ull * (gex_RMA_Value_t)(form + 1) + me, got, mask;
        char *at = seg(r) + 64 + skew;
        unsigned char around[64];
        mask = n == 8 ? ~(gex_RMA_Value_t)0 : ((gex_RMA_Value_t)1 << 8 * n) - 1;
        memset(around, 0xA5, sizeof around);
        CHECK(!gex_RMA_PutBlocking(world, r, at - 16, around, 48, 0));
        switch (form) {
          case 0: CHECK(!gex_RMA_PutBlockingVal(world, r, at, value, n, 0)); break;
          case 1: gex_Event_Wait(gex_RMA_PutNBVal(world, r, at, value, n, 0)); break;
          default: CHECK(!gex_RMA_PutNBIVal(world, r, at, value, n, 0)); gex_NBI_Wait(GEX_EC_PUT, 0); break;
        }
        got = gex_RMA_GetBlockingVal(world, r, at, n, 0);
        CHECK(got == (value & mask));
        CHECK(!gex_RMA_GetBlocking(world, around, r, at - 16, 48, 0));
        CHECK(all_bytes(around, 16, 0xA5) && all_bytes(around + 16 + n, 32 - n, 0xA5));
        CHECK(!memcmp(around + 16, &value, n));
      }
  return check_end();
}
