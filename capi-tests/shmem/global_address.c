/* A client of global addresses: it puts to and gets from memory of the other rank by the address at which that memory is mapped here, which
 * shmem_ptr gives. Prints `global ok`. */
#define GASNETE_GLOBAL_ADDRESS_CLIENT 1
#include <gasnet.h>
#include <shmem.h>
#include <stdio.h>

int main(int argc, char **argv) {
  gasnet_seginfo_t info[64];
  gasnet_node_t next;
  uint64_t *there, got;
  int ok;
  gasnet_init(&argc, &argv);
  gasnet_attach(NULL, 0, 4 * GASNET_PAGESIZE, 0);
  gasnet_getSegmentInfo(info, 64);
  next = (gasnet_mynode() + 1) % gasnet_nodes();
  /* Segments are symmetric objects: one address of this rank's own names those of all. */
  there = (uint64_t *)shmem_ptr(info[gasnet_mynode()].addr, (int)next);
  if (!there) gasnet_exit(9);
  gasnet_put_val(next, there, 7 + next, 8);
  got = 100 + next;
  gasnet_wait_syncnb(gasnet_put_nb(next, there + 1, &got, 8));
  gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
  gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS);
  gasnet_get(&got, next, there + 1, 8);
  ok = got == 100 + next && gasnet_get_val(next, there, 8) == 7 + next && *(uint64_t *)info[gasnet_mynode()].addr == 7 + gasnet_mynode();
  if (ok && gasnet_mynode() == 0) printf("global ok\n");
  fflush(stdout);
  gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
  gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS);
  gasnet_exit(!ok);
}
