// A process that is bound to one processor counts one; pinning a thread later does not change the count.
// ranks: 1
// case free: exit 0
// case bound: exit 0
#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif
#include <sched.h>
#include "tools_check.h"

int main(int argc, char **argv) {
  cpu_set_t set;
  int allowed;
  MUST(sched_getaffinity(0, sizeof set, &set) == 0);
  allowed = CPU_COUNT(&set);
  if (argc > 1 && !strcmp(argv[1], "bound")) {
    int cpu = 0;
    while (!CPU_ISSET(cpu, &set)) cpu++;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    MUST(sched_setaffinity(0, sizeof set, &set) == 0);
    CHECK_EQ(gasnett_cpu_count(), 1);
  } else {
    int count = gasnett_cpu_count();
    CHECK(count >= 1 && count <= allowed);
    CHECK_EQ(gasnett_set_affinity(0), 0);
    CHECK_EQ(gasnett_cpu_count(), count);
  }
  return check_end();
}
