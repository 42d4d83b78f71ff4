// The thread may run on one processor afterwards; ranks beyond the number of processors count round.
// ranks: 1
#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif
#include <sched.h>
#include "tools_check.h"

int main(void) {
  cpu_set_t before, first, again;
  MUST(sched_getaffinity(0, sizeof before, &before) == 0);
  CHECK_EQ(gasnett_set_affinity(0), 0);
  MUST(sched_getaffinity(0, sizeof first, &first) == 0);
  CHECK_EQ(CPU_COUNT(&first), 1);
  CHECK_EQ(gasnett_set_affinity(1), 0);
  CHECK_EQ(gasnett_set_affinity(CPU_COUNT(&before)), 0);
  MUST(sched_getaffinity(0, sizeof again, &again) == 0);
  CHECK(CPU_EQUAL(&first, &again));
  CHECK(gasnett_set_affinity(-1) != 0);
  return check_end();
}
