// Operations in an access region belong to its handle, not to nbi syncs outside; explicit ones inside keep their own; an empty region is done.
#include "check.h"

enum { N = 100, EACH = 512 };
int main(int argc, char **argv) {
  static unsigned char src[N][EACH], dst[N][EACH];
  gasnet_handle_t region, second, own;
  gasnet_node_t r;
  int i, round;
  check_start(&argc, &argv, NULL, 0, MiB(1));
  r = next_rank();
  for (round = 0; round < 20; round++) {
    gasnet_begin_nbi_accessregion();
    gasnet_wait_syncnb(gasnet_end_nbi_accessregion());
    for (i = 0; i < N; i++) fill(src[i], EACH, (unsigned)(i + round));
    gasnet_begin_nbi_accessregion();
    for (i = 0; i < N; i++) gasnet_put_nbi_bulk(r, seg(r) + i * EACH, src[i], EACH);
    own = gasnet_put_nb_bulk(r, seg(r) + KiB(512), src[3], EACH);
    gasnet_put_nbi_val(r, seg(r) + KiB(600), 9, 1);
    gasnet_wait_syncnb(own);
    region = gasnet_end_nbi_accessregion();
    gasnet_wait_syncnbi_all();          /* nothing of the region: no effect on its handle */
    while (gasnet_try_syncnb(region) != GASNET_OK) ;
    gasnet_begin_nbi_accessregion();
    for (i = 0; i < N; i += 2) gasnet_get_nbi_bulk(dst[i], r, seg(r) + i * EACH, EACH);
    region = gasnet_end_nbi_accessregion();
    gasnet_begin_nbi_accessregion();
    for (i = 1; i < N; i += 2) gasnet_get_nbi_bulk(dst[i], r, seg(r) + i * EACH, EACH);
    gasnet_memset_nbi(r, seg(r) + KiB(700), round, 100);
    second = gasnet_end_nbi_accessregion();
    { gasnet_handle_t both[3]; both[0] = second, both[1] = GASNET_INVALID_HANDLE, both[2] = region; gasnet_wait_syncnb_all(both, 3); }
    for (i = 0; i < N; i++) CHECK(filled(dst[i], EACH, (unsigned)(i + round)));
    CHECK_EQ(gasnet_get_val(r, seg(r) + KiB(700) + 99, 1), round);
    CHECK_EQ(gasnet_get_val(r, seg(r) + KiB(600), 1), 9);
  }
  return check_end();
}
