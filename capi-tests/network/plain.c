/* A program that knows nothing of the network: prints its rank, after a put to the next one. `plain BYTES CODE`: the size of its segment; the
   code that main returns, instead of an end by gasnet_exit. */
#include <gasnet.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  gasnet_seginfo_t info[64];
  gasnet_node_t me, next;
  uintptr_t bytes;
  gasnet_init(&argc, &argv);
  bytes = argc > 1 ? strtoull(argv[1], NULL, 0) : 4 * GASNET_PAGESIZE;
  me = gasnet_mynode(), next = (me + 1) % gasnet_nodes();
  if (gasnet_attach(NULL, 0, bytes, 0) != GASNET_OK) gasnet_exit(7);
  gasnet_getSegmentInfo(info, 64);
  gasnet_put_val(next, info[next].addr, me + 1, 8);
  gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
  gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS);
  if (*(uint64_t *)info[me].addr == (me + gasnet_nodes() - 1) % gasnet_nodes() + 1) printf("rank %d of %d\n", (int)me, (int)gasnet_nodes());
  fflush(stdout);
  if (argc > 2) return atoi(argv[2]);
  gasnet_exit(0);
}
