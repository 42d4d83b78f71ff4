// A debug client with more threads in GASNet than its mode allows, or whose thread ends in a no-interrupt section, is stopped and told so.
// ranks: 1
// modes: seq
// debug: yes
// every case: exit nonzero
// case second_thread: stderr /gasnet_put: called from a second thread of a GASNET_SEQ client.*@AT@/
// case second_thread_polls: stderr /gasnet_AMPoll: called from a second thread of a GASNET_SEQ client.*@AT@/
// case ends_in_section: stderr /HSL USAGE VIOLATION: thread exit: the thread ends in a no-interrupt section/
#include "misuse.h"

static void second(int i) {
  int value = i;
  MISUSE("second_thread", gasnet_put(0, seg(0), &value, sizeof value));
  MISUSE("second_thread_polls", gasnet_AMPoll());
  if (!strcmp(misuse_case, "ends_in_section")) gasnet_hold_interrupts();
}

int main(int argc, char **argv) {
  check_start(&argc, &argv, NULL, 0, KiB(64));
  misuse_begin(argc, argv);
  gasnet_AMPoll();
  on_threads(1, second);
  misuse_passed(misuse_case);
  return check_end();
}
