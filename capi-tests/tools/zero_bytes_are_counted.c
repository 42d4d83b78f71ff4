// Zero bytes are counted at every alignment and length, with and without a copy, and nothing else is touched.
// ranks: 1
#include "tools_check.h"

int main(void) {
  unsigned char from[96], to[96];
  size_t a, b, n, i;
  for (i = 0; i < sizeof from; i++) from[i] = (unsigned char)(i * i % 7 ? i : 0);
  for (a = 0; a < 9; a++)
    for (n = 0; n < 40; n++) {
      size_t want = 0;
      for (i = 0; i < n; i++) want += !from[a + i];
      CHECK_EQ(gasnett_count0s(from + a, n), want);
      for (b = 8; b < 17; b++) {
        memset(to, 0xee, sizeof to);
        CHECK_EQ(gasnett_count0s_copy(to + b, from + a, n), want);
        CHECK(!memcmp(to + b, from + a, n));
        CHECK(to[b - 1] == 0xee && to[b + n] == 0xee);
      }
    }
  CHECK_EQ(gasnett_count0s_uint32_t(0), 4);
  CHECK_EQ(gasnett_count0s_uint32_t(0x01008000), 2);
  CHECK_EQ(gasnett_count0s_uint64_t(0), 8);
  CHECK_EQ(gasnett_count0s_uint64_t(0x0100800000ff0001u), 4);
  CHECK_EQ(gasnett_count0s_uintptr_t(~(uintptr_t)0), 0);
  return check_end();
}
