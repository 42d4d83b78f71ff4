/* Rank 1 waits so long that it sleeps; then rank 0 puts to it, which over some providers needs calls of rank 1. */
#include <gasnet.h>
#include <stdio.h>
#include <unistd.h>

static void barrier(void) {
  gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
  gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS);
}

int main(int argc, char **argv) {
  gasnet_seginfo_t segments[2];
  int i, value = 0;
  if (gasnet_init(&argc, &argv) != GASNET_OK || gasnet_attach(NULL, 0, GASNET_PAGESIZE, 0) != GASNET_OK) return 1;
  gasnet_getSegmentInfo(segments, 2);
  barrier();
  if (gasnet_mynode() == 0) {
    usleep(200000);
    for (i = 1; i <= 1000; i++) gasnet_put(1, segments[1].addr, &i, sizeof i);
    gasnet_get(&value, 1, segments[1].addr, sizeof value);
    printf("put %d\n", value);
  }
  barrier();
  gasnet_exit(0);
}
