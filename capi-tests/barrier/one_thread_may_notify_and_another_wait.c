// The threads that notify and wait in one phase may be different ones, while others send messages.
// ranks: 1 2 3
// modes: par
#include "check.h"

enum { PHASES = 60 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int notified, waited;
static int over;
static void nop(gasnet_token_t t) { (void)t; }
static void set(int *what, int v) { pthread_mutex_lock(&lock); *what = v; pthread_cond_broadcast(&cond); pthread_mutex_unlock(&lock); }
static void until(int *what, int v) { pthread_mutex_lock(&lock); while (*what < v) pthread_cond_wait(&cond, &lock); pthread_mutex_unlock(&lock); }
static void work(int t) {
  int i;
  for (i = 1; i <= PHASES && t < 2; i++) {
    if (t == 0) { until(&waited, i - 1); gasnet_barrier_notify(i, 0); set(&notified, i); }
    else { until(&notified, i); CHECK_EQ(gasnet_barrier_wait(i, 0), GASNET_OK); set(&waited, i); }
  }
  if (t == 1) __atomic_store_n(&over, 1, __ATOMIC_SEQ_CST);
  while (t == 2 && !__atomic_load_n(&over, __ATOMIC_SEQ_CST)) gasnet_AMRequestShort0(next_rank(), 200);
}

int main(int argc, char **argv) {
  gasnet_handlerentry_t table[] = { HANDLER(200, nop) };
  check_start(&argc, &argv, table, 1, GASNET_PAGESIZE);
  on_threads(3, work);
  return check_end();
}
