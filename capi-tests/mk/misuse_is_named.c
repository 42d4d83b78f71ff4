// Invalid kinds, and destroying the predefined one, end the job with one line: the call, the argument, the place.
// ranks: 1
// modes: par
// debug: yes
// every case: exit nonzero; stderr /@AT@/
// case invalid: stderr /gex_MK_QueryClass.*GEX_MK_INVALID/
// case unknown: stderr /gex_MK_SetCData.*not a memory kind/
// case host: stderr /gex_MK_Destroy.*GEX_MK_HOST/
#include "../debug/misuse.h"

#include <gasnet_mk.h>

int main(int argc, char **argv) {
  check_start(&argc, &argv, NULL, 0, KiB(64));
  misuse_begin(argc, argv);
  MISUSE("invalid", gex_MK_QueryClass(GEX_MK_INVALID));
  MISUSE("unknown", gex_MK_SetCData((gex_MK_t)(void *)seg(0), NULL));
  MISUSE("host", gex_MK_Destroy(GEX_MK_HOST, 0));
  return check_end();
}
