// A thread that has asked for its GASNET_GET_THREADINFO before the ranks are forked keeps its index in each of them: no other thread
// gets it when all are in use.
// ranks: 2
// modes: par
// once: yes
// env: GASNET_MAX_THREADS=4 GASNET_RMA=am
// expect: exit nonzero; stderr /FATAL ERROR .proc 1.: more than 4 threads/
#include "check.h"

enum { THREADS = 4 }; /* and the main thread */
static pthread_barrier_t all;
static void work(int i) {
  gasnet_put_nbi_val(me, seg(me) + 8 * i, 1, 8);
  gasnet_wait_syncnbi_all();
  gasnet_wait_syncnb(gasnet_put_nb_bulk(0, seg(0), seg(me) + 8, 8));
  pthread_barrier_wait(&all);
}

int main(int argc, char **argv) {
  volatile gasnet_threadinfo_t early = GASNET_GET_THREADINFO();
  check_start(&argc, &argv, NULL, 0, GASNET_PAGESIZE);
  CHECK(early == GASNET_GET_THREADINFO());
  pthread_barrier_init(&all, NULL, THREADS);
  if (me == 1) on_threads(THREADS, work);
  return check_end();
}
