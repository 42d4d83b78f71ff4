// Each backing of shared memory gives working segments, and leaves nothing behind.
// ranks: 1 3
// once: yes
// wrap: env GASNET_SHM_BACKING=$CASE
// case auto: exit 0
// case memfd: exit 0
// case posix: exit 0
// case sysv: exit 0
// case file: exit 0
#include "check.h"

int main(int argc, char **argv) {
  gasnet_node_t i;
  check_start(&argc, &argv, NULL, 0, MiB(4));
  for (i = 0; i < nranks; i++) gasnet_put_val(i, seg(i) + MiB(4) - 8 * (me + 1), me + 5, 8);
  barrier();
  for (i = 0; i < nranks; i++) CHECK_EQ(*(uint64_t *)(void *)(seg(me) + MiB(4) - 8 * (i + 1)), i + 5);
  return check_end();
}
