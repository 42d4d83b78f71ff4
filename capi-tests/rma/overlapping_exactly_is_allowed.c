// A put or get whose source and destination coincide exactly leaves the bytes as they are.
#include "check.h"

int main(int argc, char **argv) {
  check_start(&argc, &argv, NULL, 0, MiB(1));
  fill(seg(me), KiB(100), 3);
  gasnet_put(me, seg(me), seg(me), KiB(100));
  gasnet_get(seg(me), me, seg(me), KiB(100));
  gasnet_wait_syncnb(gasnet_put_nb_bulk(me, seg(me) + 1, seg(me) + 1, 5000));
  CHECK(filled(seg(me), KiB(100), 3));
  return check_end();
}
