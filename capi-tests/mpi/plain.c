/* A program that knows nothing of MPI. */
#include <gasnet.h>
#include <stdio.h>

int main(int argc, char **argv) {
  gasnet_init(&argc, &argv);
  gasnet_attach(NULL, 0, GASNET_PAGESIZE, 0);
  gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
  gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS);
  printf("rank %d of %d\n", (int)gasnet_mynode(), (int)gasnet_nodes());
  fflush(stdout);
  gasnet_exit(0);
}
