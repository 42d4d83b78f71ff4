// One thread above the limit ends the job with an error that advises to raise GASNET_MAX_THREADS.
// ranks: 1
// modes: par
// once: yes
// env: GASNET_MAX_THREADS=8 GASNET_RMA=am
// expect: exit nonzero; stderr /FATAL ERROR.*thread/; stderr /GASNET_MAX_THREADS/
#include "check.h"

enum { THREADS = 20 };
static pthread_barrier_t all;
static void work(int i) {
  gasnet_put_nbi_val(me, seg(me) + 8 * i, 1, 8);
  gasnet_wait_syncnbi_all();
  gasnet_wait_syncnb(gasnet_put_nb_bulk(me, seg(me), seg(me) + 8, 8));
  gasnet_AMRequestShort0(me, 200);
  pthread_barrier_wait(&all);
}
static void nop(gasnet_token_t t) { (void)t; }

int main(int argc, char **argv) {
  gasnet_handlerentry_t table[] = { HANDLER(200, nop) };
  check_start(&argc, &argv, table, 1, GASNET_PAGESIZE);
  pthread_barrier_init(&all, NULL, THREADS);
  on_threads(THREADS, work);
  return check_end();
}
