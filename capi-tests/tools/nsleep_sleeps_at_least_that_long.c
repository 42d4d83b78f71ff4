// gasnett_nsleep returns 0 after the requested time, and at once for 0.
// ranks: 1
#include "tools_check.h"

int main(void) {
  uint64_t ns;
  CHECK_EQ(gasnett_nsleep(0), 0);
  for (ns = 10; ns < 300000000; ns *= 30) {
    gasnett_tick_t from = gasnett_ticks_now();
    CHECK_EQ(gasnett_nsleep(ns), 0);
    /* The two clocks may differ by a little. */
    CHECK((double)gasnett_ticks_to_ns(gasnett_ticks_now() - from) >= 0.999 * (double)ns);
  }
  return check_end();
}
