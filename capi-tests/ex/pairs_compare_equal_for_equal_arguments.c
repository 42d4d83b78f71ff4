// gex_TM_Pair gives the same value for the same arguments, another for others, never that of a team; it needs no free.
// ranks: 1 2
#include "check_ex.h"

int main(int argc, char **argv) {
  gex_TM_t pair, other;
  int i;
  check_start(&argc, &argv, NULL, 0, KiB(64));
  pair = gex_TM_Pair(endpoint, 0);
  CHECK(pair != GEX_TM_INVALID);
  CHECK(pair != world);
  other = gex_TM_Pair(endpoint, 1);
  CHECK(other != pair && other != world);
  for (i = 0; i < 100000; i++) CHECK(gex_TM_Pair(endpoint, 0) == pair);
  CHECK(gex_TM_Pair(endpoint, 1) == other);
  return check_end();
}
