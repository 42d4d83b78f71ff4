// A GASNET_MAX_SEGSIZE of N bytes allows a segment of at least N bytes: the limit is rounded up to a page. More than the memory
// of the host counts as that much.
// ranks: 1 2
// once: yes
// wrap: env GASNET_MAX_SEGSIZE=$CASE
// case 1: exit 0
// case 4096B/P: exit 0
// case 5000B: exit 0
// case 8193: exit 0
// case 0x10001: exit 0
// case 900TB: exit 0
// case 8000PB: exit 0
#include "check.h"

int main(int argc, char **argv) {
  unsigned long long asked, most = (unsigned long long)sysconf(_SC_PHYS_PAGES) * (unsigned long long)sysconf(_SC_PAGESIZE);
  char *unit;
  size_t limit;
  MUST(argc > 1);
  asked = strtoull(argv[1], &unit, 0);
  check_init(&argc, &argv);
  limit = gasnet_getMaxLocalSegmentSize();
  CHECK_EQ(limit % GASNET_PAGESIZE, 0);
  if (strcmp(unit, "TB") == 0 || strcmp(unit, "PB") == 0)
    CHECK(limit >= MiB(64) && limit < most + GASNET_PAGESIZE);
  else
    CHECK(limit >= asked && limit < asked + GASNET_PAGESIZE);
  CHECK_EQ(gasnet_getMaxGlobalSegmentSize(), limit);
  check_attach(NULL, 0, limit);
  CHECK_EQ(seg_size(me), limit);
  gasnet_put_val(next_rank(), seg(next_rank()) + limit - 8, 42, 8);
  barrier();
  CHECK_EQ(seg(me)[limit - 8], 42);
  return check_end();
}
