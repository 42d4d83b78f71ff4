// The first conversion already gives nanoseconds to better than 0.05 % of the kernel's raw clock.
// ranks: 1
#include "tools_check.h"

static int64_t raw_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC_RAW, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

/* Reads both; gives up readings between which something else ran. */
static void read_both(gasnett_tick_t *tick, int64_t *ns) {
  int64_t best = INT64_MAX, before, after;
  int i;
  for (i = 0; i < 50; i++) {
    gasnett_tick_t t;
    before = raw_ns();
    t = gasnett_ticks_now();
    after = raw_ns();
    if (after - before < best) best = after - before, *tick = t, *ns = before + (after - before) / 2;
  }
}

int main(void) {
  gasnett_tick_t t0, t1;
  int64_t n0, n1, ticked, error;
  (void)gasnett_ticks_to_ns(1); /* fixes the rate now, without the time that the test spends below */
  read_both(&t0, &n0);
  usleep(300000);
  read_both(&t1, &n1);
  ticked = (int64_t)gasnett_ticks_to_ns(t1 - t0);
  error = ticked - (n1 - n0);
  if (error < 0) error = -error;
  if (error * 2000 > n1 - n0) fprintf(stderr, "ticks say %lld ns, the clock %lld ns\n", (long long)ticked, (long long)(n1 - n0));
  CHECK(error * 2000 <= n1 - n0);
  CHECK(gasnett_ticks_to_us(t1 - t0) - gasnett_ticks_to_ns(t1 - t0) / 1000 <= 1);
  CHECK(gasnett_ticks_to_ns(0) == 0);
  return check_end();
}
