// A release client that syncs a handle of an operation in flight twice is stopped: it does not take another operation's.
// ranks: 2
// modes: par seq
// once: yes
// env: GASNET_RMA=am
// case wait: exit 134; stderr /FATAL ERROR.*handle 0x[0-9a-f]+ was already synchronised/
// case value: exit 134; stderr /FATAL ERROR.*handle 0x[0-9a-f]+ was already synchronised/
#include "check.h"

int main(int argc, char **argv) {
  static char buf[KiB(64)];
  gasnet_handle_t h;
  gasnet_valget_handle_t v;
  check_start(&argc, &argv, NULL, 0, KiB(64));
  if (me == 0 && !strcmp(argv[1], "wait")) {
    h = gasnet_get_nb_bulk(buf, 1, seg(1), sizeof buf);
    gasnet_wait_syncnb(h);
    gasnet_wait_syncnb(h);
  }
  if (me == 0 && !strcmp(argv[1], "value")) {
    v = gasnet_get_nb_val(1, seg(1), 8);
    (void)gasnet_wait_syncnb_valget(v);
    (void)gasnet_wait_syncnb_valget(v);
  }
  barrier();
  return check_end();
}
