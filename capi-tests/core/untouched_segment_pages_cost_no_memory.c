// A segment of a gigabyte a rank costs only the pages that are touched, and never-touched pages read and write remotely.
// ranks: 1 2 4
#include "check.h"

static long resident_pages(void) {
  long size = 0, rss = 0;
  FILE *f = fopen("/proc/self/statm", "r");
  CHECK(f && fscanf(f, "%ld %ld", &size, &rss) == 2);
  if (f) fclose(f);
  return rss;
}

int main(int argc, char **argv) {
  gasnet_node_t to;
  char *far;
  check_init(&argc, &argv);
  if (gasnet_getMaxGlobalSegmentSize() < MiB(1024)) return check_attach(NULL, 0, GASNET_PAGESIZE), check_end();
  check_attach(NULL, 0, MiB(1024));
  to = next_rank();
  far = seg(to) + MiB(512) + 128;
  CHECK_EQ(gasnet_get_val(to, far, 8), 0);
  gasnet_put_val(to, far + MiB(256), 0x1234567890ull, 8);
  barrier();
  CHECK_EQ(*(int64_t *)(void *)memcpy(seg(me), seg(me) + MiB(768) + 128, 8), 0x1234567890ll);
  CHECK(resident_pages() < (long)MiB(256) / sysconf(_SC_PAGESIZE));
  return check_end();
}
