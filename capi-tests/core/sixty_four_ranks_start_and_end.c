// 64 ranks on one machine start, attach, meet, exchange and end.
// ranks: 64
// modes: par
// once: yes
// time: 120
#include "check.h"

int main(int argc, char **argv) {
  gasnet_node_t r;
  check_start(&argc, &argv, NULL, 0, MiB(64));
  for (r = 0; r < nranks; r++) gasnet_put_nbi_val(r, seg(r) + MiB(32) + 8 * me, me + 1, 8);
  gasnet_wait_syncnbi_puts();
  barrier();
  for (r = 0; r < nranks; r++) CHECK_EQ(((uint64_t *)(void *)(seg(me) + MiB(32)))[r], r + 1);
  return check_end();
}
