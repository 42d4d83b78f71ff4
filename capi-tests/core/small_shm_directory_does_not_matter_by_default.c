// A container's tiny /dev/shm does not limit segments: the default backing does not need it.
// ranks: 2
// once: yes
// needs: unshare -m true
// wrap: unshare -m sh -c 'mount -t tmpfs -o size=64k none /dev/shm && exec "$0" "$@"'
#include "check.h"

int main(int argc, char **argv) {
  check_start(&argc, &argv, NULL, 0, MiB(64));
  memset(seg(me), 1, MiB(64));
  barrier();
  CHECK_EQ(gasnet_get_val(next_rank(), seg(next_rank()) + MiB(64) - 1, 1), 1);
  return check_end();
}
