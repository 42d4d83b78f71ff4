// A debug client that notifies twice, waits without notify or queries the result inside a phase ends with an error that names the call and its place.
// ranks: 1 2
// modes: par
// debug: yes
// every case: exit nonzero; stderr /@AT@/
// case notify_twice: stderr /gasnet_barrier_notify/
// case wait_without_notify: stderr /gasnet_barrier_wait/
// case try_without_notify: stderr /gasnet_barrier_try/
// case wait_after_wait: stderr /gasnet_barrier_wait/
// case wait_after_try: stderr /gasnet_barrier_wait/
// case result_inside: stderr /gasnet_barrier_result/
// case barrier_inside: stderr /gasnet_barrier/
#include "misuse.h"

int main(int argc, char **argv) {
  int id;
  check_start(&argc, &argv, NULL, 0, KiB(64));
  misuse_begin(argc, argv);
  MISUSE("notify_twice", gasnet_barrier_notify(1, 0); gasnet_barrier_notify(1, 0));
  MISUSE("wait_without_notify", gasnet_barrier_wait(1, 0));
  MISUSE("try_without_notify", gasnet_barrier_try(1, 0));
  MISUSE("wait_after_wait", barrier(); gasnet_barrier_wait(1, 0));
  MISUSE("wait_after_try", gasnet_barrier_notify(1, 0); while (gasnet_barrier_try(1, 0) != GASNET_OK) ; gasnet_barrier_wait(1, 0));
  MISUSE("result_inside", gasnet_barrier_notify(1, 0); gasnet_barrier_result(&id));
  MISUSE("barrier_inside", gasnet_barrier_notify(1, 0); gasnet_barrier(1, 0));
  (void)id;
  return check_end();
}
