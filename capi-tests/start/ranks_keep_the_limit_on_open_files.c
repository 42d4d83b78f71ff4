// The library may raise the limit on open files for itself: ranks have the soft limit of the job's starter.
// ranks: 1 4
// once: yes
// wrap: bash -c 'ulimit -Sn 40; exec "$@"' -
#include "check.h"
#include <sys/resource.h>

static rlim_t files(void) {
  struct rlimit limit;
  MUST(getrlimit(RLIMIT_NOFILE, &limit) == 0);
  return limit.rlim_cur;
}

int main(int argc, char **argv) {
  CHECK_EQ(files(), 40);
  check_start(&argc, &argv, NULL, 0, KiB(64));
  CHECK_EQ(files(), 40);
  return check_end();
}
