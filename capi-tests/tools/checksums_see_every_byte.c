// The same bytes give the same sum at any address; any changed, moved, added or removed byte gives another.
// ranks: 1
#include "tools_check.h"

int main(void) {
  unsigned char a[200], b[208];
  uint64_t sum;
  int i, shift;
  for (i = 0; i < 200; i++) a[i] = (unsigned char)(i * 37);
  sum = gasnett_checksum(a, 200);
  for (shift = 0; shift < 8; shift++) {
    memcpy(b + shift, a, 200);
    CHECK(gasnett_checksum(b + shift, 200) == sum);
  }
  for (i = 0; i < 200; i++) {
    a[i] ^= 1;
    CHECK(gasnett_checksum(a, 200) != sum);
    a[i] ^= 1;
  }
  CHECK(gasnett_checksum(a, 199) != sum);
  CHECK(gasnett_checksum(a + 1, 199) != gasnett_checksum(a, 199));
  memset(b, 0, sizeof b);
  CHECK(gasnett_checksum(b, 8) != gasnett_checksum(b, 16));
  return check_end();
}
