// gasnet_QueryGexObjects and GASNet-1 communication require GEX_FLAG_USES_GASNET1: without it, one line reports this.
// ranks: 1
// modes: par
// debug: yes
// every case: exit nonzero; stderr /@AT@/
// case objects: stderr /gasnet_QueryGexObjects.*GEX_FLAG_USES_GASNET1/
#include <gasnet.h>

#include "misuse_ex.h"

int main(int argc, char **argv) {
  check_start(&argc, &argv, NULL, 0, KiB(64));
  misuse_begin(argc, argv);
  MISUSE("objects", gasnet_QueryGexObjects(NULL, NULL, NULL, NULL));
  return check_end();
}
