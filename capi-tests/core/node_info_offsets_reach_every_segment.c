// getNodeInfo's offset turns the segment address of a peer in the same supernode into one where this rank may load and
// store.
#include "check.h"

static gasnet_nodeinfo_t *info;
static CHECK_UNUSED int near(gasnet_node_t rank) { return info[rank].supernode == info[me].supernode; }

int main(int argc, char **argv) {
  gasnet_node_t i;
  check_start(&argc, &argv, NULL, 0, 16 * GASNET_PAGESIZE);
  info = (gasnet_nodeinfo_t *)calloc(nranks + 1, sizeof *info);
  memset(&info[nranks], 0xEE, sizeof *info);
  CHECK(gasnet_getNodeInfo(info, (int)nranks + 1) == GASNET_OK);
  CHECK(all_bytes(&info[nranks], sizeof *info, 0xEE));
#if GASNET_PSHM
  CHECK_EQ(info[me].offset, 0);
  for (i = 0; i < nranks; i++) {
    if (!getenv("GASNET_CONDUIT")) CHECK_EQ(info[i].supernode, info[me].supernode);
    if (!near(i)) continue;
    CHECK_EQ(info[i].host, info[me].host);
    ((volatile uint64_t *)(seg(i) + info[i].offset))[me] = 1000 + me;
  }
  barrier();
  for (i = 0; i < nranks; i++) CHECK_EQ(((volatile uint64_t *)seg(me))[i], near(i) ? 1000 + i : 0);
  for (i = 0; i < nranks; i++)
    if (near(i)) CHECK_EQ(((volatile uint64_t *)(seg(i) + info[i].offset))[me], 1000 + me);
  barrier();
  /* The last byte too. */
  i = next_rank();
  if (near(i)) (seg(i) + info[i].offset)[seg_size(i) - 1] = 77;
  barrier();
  CHECK_EQ(seg(me)[seg_size(me) - 1], near(prev_rank()) ? 77 : 0);
#else
  (void)i;
#endif
  return check_end();
}
