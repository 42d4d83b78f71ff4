// Ranks that wait in a barrier or BLOCKUNTIL for a second, for one that sleeps, use less than half of it, and their waiting thread sleeps.
// ranks: 2 4
#include "check.h"

#include <sys/resource.h>

static volatile int go;
static void on_go(gasnet_token_t t) { (void)t; go = 1; }
static double cpu_s(void) {
  struct rusage u;
  getrusage(RUSAGE_SELF, &u);
  return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) + (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1e-6;
}

/* The number of times that this thread has slept; waiting for a core does not count. */
static long sleeps(void) {
  struct rusage u;
  getrusage(RUSAGE_THREAD, &u);
  return u.ru_nvcsw;
}

int main(int argc, char **argv) {
  gasnet_handlerentry_t table[] = { HANDLER(200, on_go) };
  gasnet_node_t r;
  double before;
  check_start(&argc, &argv, table, 1, 0);
  barrier();
  before = cpu_s();
  if (me == 0) {
    usleep(1000000);
    for (r = 1; r < nranks; r++) CHECK(gasnet_AMRequestShort0(r, 200) == GASNET_OK);
    usleep(1000000);
    barrier();
  } else {
    long slept = sleeps();
    GASNET_BLOCKUNTIL(go);
    CHECK(sleeps() > slept);
    slept = sleeps();
    barrier();
    CHECK(sleeps() > slept);
  }
  CHECK(cpu_s() - before < 1.0);
  return check_end();
}
