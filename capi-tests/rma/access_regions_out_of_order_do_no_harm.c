// In a release client a nested begin of an access region continues the open region; an end without a begin returns a completed handle.
// ranks: 1 2
// debug: no
#include "check.h"

int main(int argc, char **argv) {
  gasnet_handle_t all, none;
  uint64_t value, got = 0;
  int i;
  check_start(&argc, &argv, NULL, 0, KiB(64));
  for (i = 0; i < 100; i++) {
    value = 10 * (uint64_t)i + me;
    CHECK(gasnet_end_nbi_accessregion() == GASNET_INVALID_HANDLE);
    gasnet_begin_nbi_accessregion();
    gasnet_put_nbi(next_rank(), seg(next_rank()), &value, sizeof value);
    gasnet_begin_nbi_accessregion();
    gasnet_put_nbi(next_rank(), seg(next_rank()) + 8, &value, sizeof value);
    all = gasnet_end_nbi_accessregion();
    none = gasnet_end_nbi_accessregion();
    CHECK(none == GASNET_INVALID_HANDLE);
    gasnet_wait_syncnb(all);
    gasnet_wait_syncnb(none);
    gasnet_get(&got, next_rank(), seg(next_rank()), 8);
    CHECK_EQ(got, value);
    gasnet_get(&got, next_rank(), seg(next_rank()) + 8, 8);
    CHECK_EQ(got, value);
    barrier();
  }
  return check_end();
}
