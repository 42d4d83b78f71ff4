// A debug client that communicates before init or attach is stopped with the call and its place.
// ranks: 1
// modes: par
// debug: yes
// every case: exit nonzero; stderr /@AT@/
// case put_before_init: stderr /gasnet_put/
// case am_before_init: stderr /gasnet_AMRequestShort/
// case poll_before_init: stderr /gasnet_AMPoll/
// case barrier_before_init: stderr /gasnet_barrier_notify/
// case segments_before_init: stderr /gasnet_getMaxGlobalSegmentSize/
// case put_before_attach: stderr /gasnet_put.*attach/
// case get_val_before_attach: stderr /gasnet_get_val.*attach/
// case am_before_attach: stderr /gasnet_AMRequestShort.*attach/
// case medium_before_attach: stderr /gasnet_AMRequestMedium.*attach/
// case poll_before_attach: stderr /gasnet_AMPoll.*attach/
// case barrier_before_attach: stderr /gasnet_barrier_notify.*attach/
#include "misuse.h"

int main(int argc, char **argv) {
  static uint64_t buf[4];
  uintptr_t v = 0;
  misuse_begin(argc, argv);
  MISUSE("put_before_init", gasnet_put(0, buf, buf, 8));
  MISUSE("am_before_init", gasnet_AMRequestShort0(0, 200));
  MISUSE("poll_before_init", gasnet_AMPoll());
  MISUSE("barrier_before_init", gasnet_barrier_notify(0, 0));
  MISUSE("segments_before_init", v = gasnet_getMaxGlobalSegmentSize());
  check_init(&argc, &argv);
  MISUSE("put_before_attach", gasnet_put(0, buf, buf, 8));
  MISUSE("get_val_before_attach", v = gasnet_get_val(0, buf, 8));
  MISUSE("am_before_attach", gasnet_AMRequestShort0(0, 200));
  MISUSE("medium_before_attach", gasnet_AMRequestMedium0(0, 200, buf, 8));
  MISUSE("poll_before_attach", gasnet_AMPoll());
  MISUSE("barrier_before_attach", gasnet_barrier_notify(0, 0));
  (void)v, (void)buf;
  return 0;
}
