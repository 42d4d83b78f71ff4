// GASNET_TSC_RATE selects the source of the tick rate; a wrong or invalid value is reported.
// ranks: 1
// once: yes
// needs: grep -qw constant_tsc /proc/cpuinfo
// case walltime: exit 0
// case wallclock: exit 0
// case right: exit 0
// case off: exit 0; stderr /WARNING.*GASNET_TSC_RATE_TOLERANCE is 0.0005/
// case wrong: exit 134; stderr /FATAL ERROR.*GASNET_TSC_RATE_HARD_TOLERANCE is 0.02/
// case words: exit 134; stderr /FATAL ERROR.*GASNET_TSC_RATE=fast: want wallclock, cpuinfo/
// case small: exit 134; stderr /FATAL ERROR.*GASNET_TSC_RATE=999999: want/
// case verbose: exit 0; stderr /TSC: [0-9]+ Hz .wallclock.* measured [0-9]+ Hz/
#include "tools_check.h"

/* The kernel's clock and the counter at one moment: of many pairs the tightest, as we may be interrupted in between. */
static void both(struct timespec *t, gasnett_tick_t *tick) {
  gasnett_tick_t best = (gasnett_tick_t)-1;
  for (int i = 0; i < 1000; i++) {
    struct timespec now;
    gasnett_tick_t before = gasnett_ticks_now(), width;
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    width = gasnett_ticks_now() - before;
    if (width < best) best = width, *t = now, *tick = before + width / 2;
  }
}

/* Ticks a second, by the kernel's clock. */
static double rate(void) {
  struct timespec a, b;
  gasnett_tick_t from, to;
  both(&a, &from);
  usleep(200000);
  both(&b, &to);
  return (double)(to - from) / ((double)(b.tv_sec - a.tv_sec) + 1e-9 * (double)(b.tv_nsec - a.tv_nsec));
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "";
  char text[40];
  double hz = rate();
  if (!strcmp(what, "right")) snprintf(text, sizeof text, "%.0f", hz);
  else if (!strcmp(what, "off")) snprintf(text, sizeof text, "%.0f", hz * 1.005);
  else if (!strcmp(what, "wrong")) snprintf(text, sizeof text, "%.0f", hz * 2);
  else if (!strcmp(what, "words")) snprintf(text, sizeof text, "fast");
  else if (!strcmp(what, "small")) snprintf(text, sizeof text, "999999");
  else if (!strcmp(what, "verbose")) snprintf(text, sizeof text, "wallclock"), setenv("GASNET_TSC_VERBOSE", "1", 1);
  else snprintf(text, sizeof text, "%s", what);
  setenv("GASNET_TSC_RATE", text, 1);
  CHECK(gasnett_ticks_to_ns(1000000000) > 0);
  if (!strcmp(what, "off")) {
    double ns = (double)gasnett_ticks_to_ns((gasnett_tick_t)(hz * 1.005));
    CHECK(ns > 0.999999e9 && ns < 1.000001e9);
  }
  return check_end();
}
