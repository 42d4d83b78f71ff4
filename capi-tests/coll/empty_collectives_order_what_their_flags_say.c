// A collective of no bytes transfers nothing, but completes on no rank before all have started it, if its flags require that.
// ranks: 2 3
#include "check_ex.h"
#include <gasnet_coll.h>

enum { BROADCAST, GATHER, EXCHANGE, KINDS, TRIES = 300 };
static char nothing[8];

static gasnet_coll_handle_t begin(int kind, int flags) {
  switch (kind) {
    case BROADCAST: return gasnet_coll_broadcast_nb(GASNET_TEAM_ALL, nothing, 0, nothing, 0, flags);
    case GATHER: return gasnet_coll_gather_all_nb(GASNET_TEAM_ALL, nothing, nothing, 0, flags);
    default: return gasnet_coll_exchange_nb(GASNET_TEAM_ALL, nothing, nothing, 0, flags);
  }
}

int main(int argc, char **argv) {
  static const int orders[] = { GASNET_COLL_IN_ALLSYNC | GASNET_COLL_OUT_MYSYNC, GASNET_COLL_IN_NOSYNC | GASNET_COLL_OUT_ALLSYNC,
                                GASNET_COLL_IN_ALLSYNC | GASNET_COLL_OUT_ALLSYNC };
  volatile uint64_t *told;
  int kind, order, i;
  check_start(&argc, &argv, NULL, 0, KiB(64));
  gasnet_coll_init(NULL, 0, NULL, 0, 0);
  told = (volatile uint64_t *)seg(me);
  for (kind = 0; kind < KINDS; kind++)
    for (order = 0; order < COUNT_OF(orders); order++) {
      uint64_t turn = 1 + (uint64_t)(kind * COUNT_OF(orders) + order);
      gasnet_coll_handle_t handle;
      if (me == 0)
        for (i = 1; i < (int)nranks; i++) GASNET_BLOCKUNTIL(told[i] == turn);
      handle = begin(kind, GASNET_COLL_LOCAL | orders[order]);
      if (me != 0) {
        for (i = 0; i < TRIES; i++) CHECK(gasnet_coll_try_sync(handle) == GASNET_ERR_NOT_READY);
        gasnet_put(0, (char *)seg(0) + 8 * me, &turn, sizeof turn);
      }
      gasnet_coll_wait_sync(handle);
    }
  return check_end();
}
