// If GASNET_ALIGNED_SEGMENTS is 1, all non-empty segments begin at the same address.
#include "check.h"

int main(int argc, char **argv) {
  gasnet_node_t i;
  check_start(&argc, &argv, NULL, 0, MiB(8));
#if GASNET_ALIGNED_SEGMENTS
  for (i = 0; i < nranks; i++) CHECK(seg(i) == seg(0));
#else
  (void)i;
#endif
  return check_end();
}
