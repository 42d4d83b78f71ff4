// Waiting for nbi puts does not need the gets, nor the reverse; try forms give OK or NOT_READY, and OK when nothing is outstanding.
#include "check.h"

int main(int argc, char **argv) {
  static unsigned char a[20000], b[20000];
  gasnet_node_t r;
  int rc, i;
  check_start(&argc, &argv, NULL, 0, MiB(1));
  r = next_rank();
  CHECK(gasnet_try_syncnbi_puts() == GASNET_OK);
  CHECK(gasnet_try_syncnbi_gets() == GASNET_OK);
  CHECK(gasnet_try_syncnbi_all() == GASNET_OK);
  gasnet_wait_syncnbi_puts();
  gasnet_wait_syncnbi_gets();
  gasnet_wait_syncnbi_all();
  for (i = 0; i < 50; i++) {
    fill(a, sizeof a, (unsigned)i);
    gasnet_put_nbi_bulk(r, seg(r), a, sizeof a);
    gasnet_wait_syncnbi_puts();
    gasnet_get_nbi_bulk(b, r, seg(r), sizeof b);
    gasnet_put_nbi_val(r, seg(r) + KiB(100), 1, 1);
    CHECK(gasnet_try_syncnbi_puts() == GASNET_OK || gasnet_try_syncnbi_puts() <= GASNET_ERR_NOT_READY);
    gasnet_wait_syncnbi_gets();
    CHECK(filled(b, sizeof b, (unsigned)i));
    while ((rc = gasnet_try_syncnbi_all()) != GASNET_OK) CHECK_EQ(rc, GASNET_ERR_NOT_READY);
    CHECK(gasnet_try_syncnbi_all() == GASNET_OK);
  }
  return check_end();
}
