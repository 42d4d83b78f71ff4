// Where the kernel lets ranks of a host reach each other's memory, puts and gets are complete though the target is not in the library at all.
// ranks: 2 4
// cflags: -DGASNET_SEGMENT_EVERYTHING -fno-pie -no-pie -D_GNU_SOURCE
#include "check.h"
#include <sys/uio.h>
#define tell_areas gasnet_put_bulk
#include "areas.h"

static volatile uint64_t arrived[64];
static volatile int pids[64];

/* Whether the kernel lets this rank read of rank 0, by its own word. */
static int may(void) {
  int there = 0;
  struct iovec ours = { &there, sizeof there }, theirs = { (void *)&pids[0], sizeof there };
  return process_vm_readv(pids[0], &ours, 1, &theirs, 1, 0) == sizeof there && there == pids[0];
}

int main(int argc, char **argv) {
  const char *forced = getenv("GASNET_RMA"), *together = getenv("GASNET_SUPERNODE_MAXSIZE");
  char stack[AREA];
  int pid = getpid(), able = 1;
  gasnet_node_t i;
  check_start(&argc, &argv, NULL, 0, 0);
  find_areas(stack);
  for (i = 0; i < nranks; i++) gasnet_put(i, (void *)&pids[me], &pid, sizeof pid);
  barrier();
  if (forced && strcmp(forced, "am") == 0) able = 0;
  if (together && strcmp(together, "0") != 0) able = 0;
  /* Everybody's word, so that all do the same. */
  if (me != 0) able = able && may();
  for (i = 0; i < nranks; i++) gasnet_put_val(i, (void *)&arrived[me], (gasnet_register_value_t)(me == 0 || able), 8);
  barrier();
  for (i = 0; i < nranks; i++) able = able && arrived[i] == 1;
  barrier();
  if (able) {
    uint64_t done = 2, got = 0;
    if (me == 0) {
      for (i = 1; i < nranks; i++)
        while (arrived[i] != 2) usleep(100);
      CHECK(all_bytes(stack, 1000, 3) && all_bytes(area_data, AREA, 4));
    } else {
      gasnet_memset(0, area[0][4], 3, 1000);
      static char four[AREA];
      memset(four, 4, AREA);
      gasnet_put_bulk(0, area[0][0], four, AREA);
      gasnet_put(0, (void *)&arrived[me], &done, 8);
      gasnet_get(&got, 0, (void *)&arrived[me], 8);
      CHECK_EQ(got, 2);
    }
  }
  barrier();
  return check_end();
}
