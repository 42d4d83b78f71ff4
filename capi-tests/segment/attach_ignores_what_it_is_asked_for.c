// With GASNET_SEGMENT_EVERYTHING attach takes any size and offset, different ones on each rank; all memory is the segment of every rank.
// ranks: 1 2 4
// cflags: -DGASNET_SEGMENT_EVERYTHING -fno-pie -no-pie
#include "check.h"

int main(int argc, char **argv) {
  gasnet_nodeinfo_t node[64];
  gasnet_seginfo_t info[65];
  gasnet_node_t i;
  static int told[64];
  check_init(&argc, &argv);
  CHECK(gasnet_getMaxLocalSegmentSize() == (uintptr_t)-1 && gasnet_getMaxGlobalSegmentSize() == (uintptr_t)-1);
  MUST(gasnet_attach(NULL, 0, me == 0 ? (uintptr_t)-1 : (uintptr_t)me * 12345, (uintptr_t)me * 777) == GASNET_OK);
  info[nranks].size = 5;
  CHECK(gasnet_getSegmentInfo(info, (int)nranks + 1) == GASNET_OK && info[nranks].size == 5);
  CHECK(gasnet_getNodeInfo(node, (int)nranks) == GASNET_OK);
  for (i = 0; i < nranks; i++) {
    CHECK(info[i].addr == NULL && info[i].size == (uintptr_t)-1);
    CHECK(node[i].supernode == i && node[i].offset == 0);
  }
  for (i = 0; i < nranks; i++) gasnet_put_val(i, &told[me], me + 1, sizeof told[0]);
  barrier();
  for (i = 0; i < nranks; i++) CHECK_EQ(told[i], i + 1);
  return check_end();
}
