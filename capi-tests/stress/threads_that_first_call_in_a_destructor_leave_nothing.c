// Threads that call for the first time in the last rounds of their key destructors are no more than a limit allows, however
// many have lived.
// ranks: 1 2
// modes: par
// env: GASNET_MAX_THREADS=16
#include "check.h"

enum { CHURN = 200, AT_ONCE = 5 };
static pthread_key_t key[2];
static int calls;

static void talk(void) {
  uint64_t word = 7;
  gasnet_put_nb_bulk(next_rank(), seg(next_rank()), &word, 8);
  gasnet_wait_syncnb(gasnet_put_nb_bulk(next_rank(), seg(next_rank()) + 64, &word, 8));
  gasnet_put_nbi_val(next_rank(), seg(next_rank()) + 128, 1, 8);
  gasnet_wait_syncnbi_all();
  gasnet_AMPoll();
  __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
}

/* Calls in its last round alone. */
static void on_key(void *arg) {
  long left = (long)arg;
  if (left > 1) pthread_setspecific(key[0], (void *)(left - 1));
  else talk();
}
static void work(int i) { pthread_setspecific(key[0], (void *)(long)(1 + i % 4)); }

int main(int argc, char **argv) {
  int i;
  pthread_key_create(&key[0], on_key); /* before and after any key of the library's */
  check_start(&argc, &argv, NULL, 0, KiB(64));
  for (i = 0; i < CHURN; i++) on_threads(AT_ONCE, work);
  pthread_key_delete(key[0]);
  talk();
  pthread_key_create(&key[1], NULL);
  pthread_key_create(&key[0], on_key);
  for (i = 0; i < CHURN; i++) on_threads(AT_ONCE, work);
  CHECK_EQ(calls, 2 * CHURN * AT_ONCE + 1);
  return check_end();
}
