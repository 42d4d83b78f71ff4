// Conversion is linear, through zero, for the whole run: it does not change when the library measures the clock again.
// ranks: 1
#include "tools_check.h"

int main(void) {
  int i;
  for (i = 0; i < 20; i++) {
    gasnett_tick_t a = gasnett_ticks_now(), b;
    int64_t difference;
    usleep(3000);
    b = gasnett_ticks_now();
    difference = (int64_t)(gasnett_ticks_to_ns(b) - gasnett_ticks_to_ns(a)) - (int64_t)gasnett_ticks_to_ns(b - a);
    CHECK(difference >= -1 && difference <= 1);
  }
  return check_end();
}
