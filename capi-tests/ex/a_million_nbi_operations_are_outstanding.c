// 10^6 puts, then 10^6 gets, are started before any wait; all of them complete.
// ranks: 2 3
// time: 240
#include "check_ex.h"

enum { COUNT = 1000000 };

int main(int argc, char **argv) {
  static uint64_t values[COUNT];
  gex_Event_t all;
  uint64_t *mine;
  int i, wrong = 0;
  check_start(&argc, &argv, NULL, 0, MiB(8));
  for (i = 0; i < COUNT; i++) values[i] = (uint64_t)me << 32 | (uint64_t)i;
  for (i = 0; i < COUNT; i++)
    CHECK_EQ(gex_RMA_PutNBI(world, next_rank(), seg(next_rank()) + 8 * i, &values[i], 8, GEX_EVENT_DEFER, 0), 0);
  gex_NBI_Wait(GEX_EC_PUT, 0);
  barrier();
  mine = (uint64_t *)(void *)seg(me);
  for (i = 0; i < COUNT; i++) wrong += mine[i] != ((uint64_t)prev_rank() << 32 | (uint64_t)i);
  CHECK_EQ(wrong, 0);
  memset(values, 0, sizeof values);
  gex_NBI_BeginAccessRegion(0);
  for (i = 0; i < COUNT; i++) gex_RMA_GetNBI(world, &values[i], next_rank(), seg(next_rank()) + 8 * i, 8, 0);
  all = gex_NBI_EndAccessRegion(0);
  gex_Event_Wait(all);
  for (i = 0, wrong = 0; i < COUNT; i++) wrong += values[i] != ((uint64_t)me << 32 | (uint64_t)i);
  CHECK_EQ(wrong, 0);
  return check_end();
}
