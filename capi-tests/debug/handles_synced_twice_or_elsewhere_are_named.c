// A debug client that syncs a live handle twice, or on another thread than the one that made it, is stopped with the call.
// ranks: 2
// modes: par
// debug: yes
// every case: exit nonzero; stderr /handles_synced_twice_or_elsewhere_are_named.c:[0-9]+/
// case twice_nb: stderr /gasnet_wait_syncnb.*handle/
// case twice_region: stderr /gasnet_wait_syncnb.*handle/
// case twice_valget: stderr /gasnet_wait_syncnb_valget.*handle/
// case other_thread: stderr /gasnet_wait_syncnb.*(handle|thread)/
// env: GASNET_RMA=am
#include "misuse.h"

static gasnet_handle_t h;
static char big[KiB(256)];
static void sync_it(int i) { (void)i; gasnet_wait_syncnb(h); }

int main(int argc, char **argv) {
  gasnet_valget_handle_t vh;
  gasnet_node_t peer;
  check_start(&argc, &argv, NULL, 0, MiB(1));
  misuse_begin(argc, argv);
  peer = next_rank();
  if (me != 0) { barrier(); return check_end(); }
  MISUSE("twice_nb", h = gasnet_get_nb_bulk(big, peer, seg(peer), sizeof big); gasnet_wait_syncnb(h); gasnet_wait_syncnb(h));
  MISUSE("twice_region", gasnet_begin_nbi_accessregion(); gasnet_get_nbi_bulk(big, peer, seg(peer), sizeof big); h = gasnet_end_nbi_accessregion(); gasnet_wait_syncnb(h); gasnet_wait_syncnb(h));
  MISUSE("twice_valget", vh = gasnet_get_nb_val(peer, seg(peer), 8); gasnet_wait_syncnb_valget(vh); gasnet_wait_syncnb_valget(vh));
  MISUSE("other_thread", h = gasnet_get_nb_bulk(big, peer, seg(peer), sizeof big); on_threads(1, sync_it));
  return check_end();
}
