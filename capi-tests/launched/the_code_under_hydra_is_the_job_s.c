// Hydra kills the other ranks once one has ended with a code other than 0, and joins its code with those of the killed by "or". Ranks that
// take unequal times to end still give mpiexec the job's code.
// ranks: 4
// modes: seq
// once: yes
// env: GASNET_FS_SYNC=1
// needs: command -v mpiexec.hydra
// wrap: env -u GASNET_PSHM_NODES timeout -k 5 50 mpiexec.hydra -launcher fork -n 4
// case asked: exit 20
// case returned: exit 20
// case one: exit 20
#include "check.h"
#include <time.h>
#include <string.h>
#include <unistd.h>

/* The library calls this late in its end, if GASNET_FS_SYNC is set. */
void sync(void) {
  struct timespec late = {0, 200000000};
  if (gasnet_mynode() >= 2) nanosleep(&late, NULL);
}

int main(int argc, char **argv) {
  check_start(&argc, &argv, NULL, 0, KiB(64));
  barrier();
  if (!strcmp(argv[1], "returned")) return 20;
  if (!strcmp(argv[1], "asked") || gasnet_mynode() == 1) gasnet_exit(20);
  for (;;) gasnet_AMPoll();
}
