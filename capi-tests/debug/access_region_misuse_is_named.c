// A debug client that nests access regions, ends none, or syncs nbi operations inside one is stopped with the call and its place.
// ranks: 1
// modes: par
// debug: yes
// every case: exit nonzero; stderr /@AT@/
// case begin_twice: stderr /gasnet_begin_nbi_accessregion/
// case end_without_begin: stderr /gasnet_end_nbi_accessregion/
// case wait_syncnbi_all_inside: stderr /gasnet_wait_syncnbi_all.*region/
// case wait_syncnbi_puts_inside: stderr /gasnet_wait_syncnbi_puts.*region/
// case wait_syncnbi_gets_inside: stderr /gasnet_wait_syncnbi_gets.*region/
// case try_syncnbi_all_inside: stderr /gasnet_try_syncnbi_all.*region/
// case try_syncnbi_puts_inside: stderr /gasnet_try_syncnbi_puts.*region/
// case try_syncnbi_gets_inside: stderr /gasnet_try_syncnbi_gets.*region/
#include "misuse.h"

int main(int argc, char **argv) {
  check_start(&argc, &argv, NULL, 0, KiB(64));
  misuse_begin(argc, argv);
  MISUSE("begin_twice", gasnet_begin_nbi_accessregion(); gasnet_begin_nbi_accessregion());
  MISUSE("end_without_begin", gasnet_end_nbi_accessregion());
  MISUSE("wait_syncnbi_all_inside", gasnet_begin_nbi_accessregion(); gasnet_wait_syncnbi_all());
  MISUSE("wait_syncnbi_puts_inside", gasnet_begin_nbi_accessregion(); gasnet_wait_syncnbi_puts());
  MISUSE("wait_syncnbi_gets_inside", gasnet_begin_nbi_accessregion(); gasnet_wait_syncnbi_gets());
  MISUSE("try_syncnbi_all_inside", gasnet_begin_nbi_accessregion(); gasnet_try_syncnbi_all());
  MISUSE("try_syncnbi_puts_inside", gasnet_begin_nbi_accessregion(); gasnet_try_syncnbi_puts());
  MISUSE("try_syncnbi_gets_inside", gasnet_begin_nbi_accessregion(); gasnet_try_syncnbi_gets());
  return check_end();
}
