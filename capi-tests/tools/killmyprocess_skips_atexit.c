// The process ends at once with the code, without waiting for threads or running functions registered by atexit().
// ranks: 1
// expect: exit 7
#include "tools_check.h"

static void never(void) { fprintf(stderr, "ERROR: atexit ran\n"); }
static void end(int i) {
  if (i == 1) gasnett_killmyprocess(7);
  for (;;) pause();
}

int main(void) {
  atexit(never);
  on_threads(3, end);
  return 1;
}
