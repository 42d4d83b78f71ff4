// All ranks can attach and touch segments of gasnet_getMaxLocalSegmentSize() at the same time, under any limit on shared memory.
// ranks: 1 4
// once: yes
// needs: unshare -m -i true
// wrap: unshare -m -i sh $here/core/bounded $CASE
// case posix: exit 0
// case file: exit 0
// case sysv: exit 0
// case shmall: exit 0
// case files: exit 0
// case space: exit 0
#include "check.h"

int main(int argc, char **argv) {
  uintptr_t size;
  check_init(&argc, &argv);
  size = gasnet_getMaxLocalSegmentSize();
  CHECK(size >= KiB(16) && size <= MiB(100));
  check_attach(NULL, 0, size);
  CHECK_EQ(seg_size(me), size);
  memset(seg(me), 1 + (int)me, size);
  barrier();
  CHECK_EQ(gasnet_get_val(next_rank(), seg(next_rank()) + size - 1, 1), 1 + next_rank());
  return check_end();
}
