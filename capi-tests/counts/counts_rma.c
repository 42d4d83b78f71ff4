/* Puts and gets. Compiled twice: with the functions that are inline in the headers, and without. */
#include "counts.h"

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#ifdef GASNETI_NO_INLINE
#define NAMED(what) what ", out of line"
#define SCENARIOS rma_outofline_scenarios
#else
#define NAMED(what) what ", inline"
#define SCENARIOS rma_inline_scenarios
#endif

#define STEP(name, call, after) \
  static void name(int times) { \
    for (int i = 0; i < times; i++) call; \
    after; \
  }
STEP(put, gasnet_put(peer, there, here, 8), )
STEP(get, gasnet_get(here, peer, there, 8), )
STEP(put_nb, gasnet_wait_syncnb(gasnet_put_nb(peer, there, here, 8)), )
STEP(put_nbi, gasnet_put_nbi(peer, there, here, 8), gasnet_wait_syncnbi_puts())
STEP(get_nbi, gasnet_get_nbi(here, peer, there, 8), gasnet_wait_syncnbi_gets())
STEP(put_val, gasnet_put_val(peer, there, 1, 8), )
STEP(ex_put_nb, while (gex_Event_Test(gex_RMA_PutNB(team, peer, there, here, 8, GEX_EVENT_DEFER, 0)) != GASNET_OK);, )
static void window(int times) {
  gasnet_handle_t handles[MANY];
  for (int i = 0; i < times; i++) handles[i] = gasnet_put_nb_bulk(peer, there, here, 8);
  gasnet_wait_syncnb_all(handles, times);
}

#define ALONE(name, run) {MANY, {{0, NAMED(name), run}}}
const struct scenario SCENARIOS[] = {
  ALONE("put of 8 B", put), ALONE("get of 8 B", get), ALONE("put_nb of 8 B and its sync", put_nb),
  ALONE("put_nb of 8 B in a window", window), ALONE("put_nbi of 8 B and a share of the sync", put_nbi),
  ALONE("get_nbi of 8 B and a share of the sync", get_nbi), ALONE("put_val of 8 B", put_val),
  ALONE("gex put of 8 B and its test", ex_put_nb),
  {0},
};
