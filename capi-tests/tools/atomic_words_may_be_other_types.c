// The fixed-width atomics work on any 4- or 8-byte number of the client, also under strict aliasing.
// ranks: 1
// cflags: -O3 -fstrict-aliasing
#include "tools_check.h"

int main(void) {
  union { int32_t i; gasnett_atomic32_t a; } n = {-2};
  double d = 0.0, e = 2.5;
  uint64_t bits;
  memcpy(&bits, &e, sizeof bits);
  CHECK_EQ(gasnett_atomic32_add(&n.a, 5, 0), 3);
  CHECK_EQ(n.i, 3);
  gasnett_atomic64_set((gasnett_atomic64_t *)(void *)&d, bits, 0);
  CHECK(d == 2.5);
  d = -1.0;
  CHECK(gasnett_strongatomic64_swap((gasnett_strongatomic64_t *)(void *)&d, bits, 0) != bits);
  CHECK(d == 2.5);
  return check_end();
}
