// A soft limit goes up to the hard limit, unless the environment forbids it.
// ranks: 1
// case raise: exit 0
// case leave: exit 0
#include <sys/resource.h>
#include "tools_check.h"

int main(int argc, char **argv) {
  int leave = argc > 1 && !strcmp(argv[1], "leave");
  struct rlimit limit;
  if (leave) setenv("GASNET_MAXIMIZE_RLIMIT_STACK", "no", 1);
  MUST(getrlimit(RLIMIT_STACK, &limit) == 0);
  limit.rlim_cur = 1 << 20;
  MUST(setrlimit(RLIMIT_STACK, &limit) == 0);
  CHECK(gasnett_maximize_rlimit(RLIMIT_STACK, "RLIMIT_STACK"));
  MUST(getrlimit(RLIMIT_STACK, &limit) == 0);
  CHECK((limit.rlim_cur == limit.rlim_max) == !leave);
  CHECK(gasnett_maximize_rlimits());
  CHECK(!gasnett_maximize_rlimit(9999, "RLIMIT_NONE"));
  return check_end();
}
