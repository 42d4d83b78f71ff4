// GASNET_MAX_SEGSIZE bounds the largest segment, and a segment of that size attaches.
// env: GASNET_MAX_SEGSIZE=48MB/P
#include "check.h"

int main(int argc, char **argv) {
  check_init(&argc, &argv);
  CHECK_EQ(gasnet_getMaxLocalSegmentSize(), MiB(48));
  check_attach(NULL, 0, gasnet_getMaxLocalSegmentSize());
  CHECK_EQ(seg_size(me), MiB(48));
  gasnet_put_val(next_rank(), seg(next_rank()) + MiB(48) - 8, 42, 8);
  barrier();
  CHECK_EQ(seg(me)[MiB(48) - 8], 42);
  return check_end();
}
