// If all ranks encounter the same fatal error at the same time, one of them reports it.
// ranks: 2 4
// modes: par
// once: yes
// expect: exit 134; stderr /rank 7|node 7/
// wrap: sh -c 'for i in 1 2 3 4 5 6 7 8; do "$0" "$@" 2>said; code=$?; grep -q "FATAL ERROR.* 7 " said || { echo "ERROR: nobody said it"; exit 1; }; done; cat said >&2; rm said; exit $code'
#include "check.h"

int main(int argc, char **argv) {
  static uint64_t value;
  check_start(&argc, &argv, NULL, 0, KiB(64));
  barrier();
  gasnet_put(7, seg(0), &value, 8);
  return check_end();
}
