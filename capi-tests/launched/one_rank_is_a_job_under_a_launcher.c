// ranks: 1
// once: yes
// modes: par
// time: 120
// wrap: bash $here/launched/alone
// needs: command -v mpiexec.hydra || command -v mpirun.openmpi
/* one_rank...: prints its rank, the number of ranks, and its arguments. */
#include "check.h"

int main(int argc, char **argv) {
  int i;
  gasnet_init(&argc, &argv);
  gasnet_attach(NULL, 0, GASNET_PAGESIZE, 0);
  printf("rank %d of %d:", (int)gasnet_mynode(), (int)gasnet_nodes());
  for (i = 1; i < argc; i++) printf(" %s", argv[i]);
  printf("\n");
  fflush(stdout);
  gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
  gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS);
  gasnet_exit(0);
}
