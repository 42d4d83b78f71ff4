// getSegmentInfo fills the entries below the job size and below the table size, and nothing else.
#include "check.h"

int main(int argc, char **argv) {
  gasnet_seginfo_t *t;
  gasnet_node_t i;
  int n;
  check_start(&argc, &argv, NULL, 0, GASNET_PAGESIZE);
  t = (gasnet_seginfo_t *)malloc((nranks + 3) * sizeof *t);
  for (n = 0; n <= (int)nranks + 2; n++) {
    memset(t, 0xEE, (nranks + 3) * sizeof *t);
    CHECK(gasnet_getSegmentInfo(t, n) == GASNET_OK);
    for (i = 0; i < nranks + 3; i++) {
      if ((int)i < n && i < nranks) CHECK(t[i].addr == check_segs[i].addr && t[i].size == check_segs[i].size);
      else CHECK(all_bytes(&t[i], sizeof *t, 0xEE));
    }
  }
  return check_end();
}
