// ulimit -f bounds the size of files in memory, too: the default backing does without, and no rank dies of SIGXFSZ.
// ranks: 2
// once: yes
// wrap: bash -c 'ulimit -f 100; exec "$0" "$@"'
// expect: exit 0
#include "check.h"

int main(int argc, char **argv) {
  check_start(&argc, &argv, NULL, 0, MiB(16));
  memset(seg(me), 1, MiB(16));
  barrier();
  CHECK_EQ(gasnet_get_val(next_rank(), seg(next_rank()) + MiB(16) - 1, 1), 1);
  return check_end();
}
