/* The size of the symmetric heap that the library chooses is no setting of the program's: an OpenSHMEM on top of GASNet reads the same variable, and
 * would take it for its user's. `environment [SIZE]`: the variable has the value SIZE after gasnet_init, or is not set. */
#include <gasnet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
  const char *expected = argc > 1 ? argv[1] : NULL, *value, *told;
  gasnet_init(&argc, &argv);
  value = getenv("SHMEM_SYMMETRIC_HEAP_SIZE");
  told = gasnet_getenv("SHMEM_SYMMETRIC_HEAP_SIZE");
  if (expected ? value && told && !strcmp(value, expected) && !strcmp(told, expected) : !value && !told) {
    printf("rank %d ok\n", (int)gasnet_mynode());
  } else {
    printf("SHMEM_SYMMETRIC_HEAP_SIZE is %s, gasnet_getenv says %s, not %s\n", value ? value : "unset", told ? told : "unset", expected ? expected : "unset");
  }
  fflush(stdout);
  gasnet_attach(NULL, 0, 0, 0);
  gasnet_exit(0);
  return 0;
}
