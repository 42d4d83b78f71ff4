// Where ranks share memory, calls of the library (not only inline code) put and get while the target is not in the library at all.
// ranks: 2 4
// cflags: -DGASNETI_NO_INLINE
// time: 20
#include "check.h"
#include <unistd.h>

int main(int argc, char **argv) {
  const char *forced = getenv("GASNET_RMA");
  gasnet_nodeinfo_t nodes[16];
  gasnet_seginfo_t segments[16];
  volatile uint64_t *mine;
  check_start(&argc, &argv, NULL, 0, 65536);
  gasnet_getNodeInfo(nodes, (int)nranks);
  gasnet_getSegmentInfo(segments, (int)nranks);
  mine = segments[me].addr;
  mine[0] = mine[1] = 0;
  barrier();
  /* 1 puts and gets while 0 waits without a call. */
  if (nodes[0].supernode == nodes[1].supernode && !(forced && strcmp(forced, "am") == 0)) {
    uint64_t done = 7, got = 0;
    if (me == 1) {
      gasnet_get(&got, 0, segments[0].addr, sizeof got);
      CHECK(got == 0);
      gasnet_put(0, segments[0].addr, &done, sizeof done);
    }
    if (me == 0)
      while (mine[0] != 7) usleep(100);
  }
  barrier();
  return check_end();
}
