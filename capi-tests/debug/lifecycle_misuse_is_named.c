// A debug client whose collectives, VIS or teams come before attach is stopped with the call and its place.
// ranks: 1 2
// modes: par
// debug: yes
// every case: exit nonzero; stderr /@AT@/
// case broadcast: stderr /gasnet_coll_broadcast.*before gasnet_attach/
// case team_barrier: stderr /gasnet_coll_barrier_notify.*before gasnet_attach/
// case vis: stderr /gasnet_putv_bulk.*before gasnet_attach/
// case sync: stderr /gasnet_wait_syncnbi_all.*before gasnet_attach/
// case region: stderr /gasnet_begin_nbi_accessregion.*before gasnet_attach/
// case memset: stderr /gasnet_memset.*before gasnet_attach/
// case long: stderr /gasnet_AMRequestLong.*before gasnet_attach/
#include "misuse.h"
#include <gasnet_coll.h>
#include <gasnet_vis.h>

int main(int argc, char **argv) {
  static uint64_t buf[4];
  gasnet_memvec_t piece = { buf, 8 };
  misuse_begin(argc, argv);
  check_init(&argc, &argv);
  MISUSE("broadcast", gasnet_coll_broadcast(GASNET_TEAM_ALL, buf, 0, buf + 1, 8, GASNET_COLL_LOCAL | GASNET_COLL_IN_MYSYNC | GASNET_COLL_OUT_MYSYNC));
  MISUSE("team_barrier", gasnet_coll_barrier_notify(GASNET_TEAM_ALL, 0, GASNET_BARRIERFLAG_ANONYMOUS));
  MISUSE("vis", gasnet_putv_bulk(0, 1, &piece, 1, &piece));
  MISUSE("sync", gasnet_wait_syncnbi_all());
  MISUSE("region", gasnet_begin_nbi_accessregion());
  MISUSE("memset", gasnet_memset(0, buf, 0, 8));
  MISUSE("long", gasnet_AMRequestLong0(0, 200, buf, 8, buf));
  return 0;
}
