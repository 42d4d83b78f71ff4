// One thread never sees ticks fall; granularity and overhead are positive.
// ranks: 1
#include "tools_check.h"

static void watch(int i) {
  gasnett_tick_t last = gasnett_ticks_now(), now;
  int n;
  (void)i;
  for (n = 0; n < 300000; n++) {
    now = gasnett_ticks_now();
    if (now < last) CHECK(!"ticks fell");
    last = now;
  }
  CHECK(last > GASNETT_TICK_MIN && last < GASNETT_TICK_MAX);
}

int main(void) {
  on_threads(3, watch);
  CHECK(gasnett_tick_granularityus() > 0);
  CHECK(gasnett_tick_overheadus() > 0);
  return check_end();
}
