// getNodeInfo's offset turns a peer's segment address into one where this rank may load and store.
#include "check.h"

int main(int argc, char **argv) {
  gasnet_nodeinfo_t *info;
  gasnet_node_t i;
  check_start(&argc, &argv, NULL, 0, 16 * GASNET_PAGESIZE);
  info = (gasnet_nodeinfo_t *)calloc(nranks + 1, sizeof *info);
  memset(&info[nranks], 0xEE, sizeof *info);
  CHECK(gasnet_getNodeInfo(info, (int)nranks + 1) == GASNET_OK);
  CHECK(all_bytes(&info[nranks], sizeof *info, 0xEE));
#if GASNET_PSHM
  CHECK_EQ(info[me].offset, 0);
  for (i = 0; i < nranks; i++) {
    CHECK_EQ(info[i].supernode, info[me].supernode);
    ((volatile uint64_t *)(seg(i) + info[i].offset))[me] = 1000 + me;
  }
  barrier();
  for (i = 0; i < nranks; i++) CHECK_EQ(((volatile uint64_t *)seg(me))[i], 1000 + i);
  for (i = 0; i < nranks; i++) CHECK_EQ(((volatile uint64_t *)(seg(i) + info[i].offset))[me], 1000 + me);
  barrier();
  /* The last byte too. */
  i = next_rank();
  (seg(i) + info[i].offset)[seg_size(i) - 1] = 77;
  barrier();
  CHECK_EQ(seg(me)[seg_size(me) - 1], 77);
#else
  (void)i;
#endif
  return check_end();
}
