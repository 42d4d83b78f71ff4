// 200 threads of one rank are inside GASNet at the same time.
// ranks: 1 2
// modes: par
#include "check.h"

enum { THREADS = 200 };
static pthread_barrier_t all;
static void work(int i) {
  char *at = seg(next_rank()) + 8 * i;
  gasnet_put_val(next_rank(), at, (unsigned)i, 8);
  pthread_barrier_wait(&all);
  gasnet_AMPoll();
  CHECK_EQ(gasnet_get_val(next_rank(), at, 8), i);
  pthread_barrier_wait(&all);
}

int main(int argc, char **argv) {
  check_start(&argc, &argv, NULL, 0, GASNET_PAGESIZE);
  pthread_barrier_init(&all, NULL, THREADS);
  on_threads(THREADS, work);
  return check_end();
}
