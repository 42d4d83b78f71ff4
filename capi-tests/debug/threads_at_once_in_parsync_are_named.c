// A GASNET_PARSYNC debug client whose threads poll at the same time is stopped and told so; taking turns is no misuse.
// ranks: 2
// modes: parsync
// debug: yes
// case turns: exit 0
// case at_once: exit nonzero; stderr /GASNET_PARSYNC: two threads call GASNet at the same time/
// case in_a_handler: exit nonzero; stderr /GASNET_PARSYNC: two threads call GASNet at the same time/
// env: GASNET_SUPERNODE_MAXSIZE=0
#include "check.h"

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static int at_once, handled;
static void on_message(gasnet_token_t token) {
  (void)token;
  __atomic_add_fetch(&handled, 1, __ATOMIC_RELAXED);
}
/* Rank 0's first thread stays in its handler until its other thread has handled one of rank 1's messages, which it must not. */
static int inside, passed;
static void on_stay(gasnet_token_t token) {
  (void)token;
  __atomic_store_n(&inside, 1, __ATOMIC_RELEASE);
  while (!__atomic_load_n(&passed, __ATOMIC_ACQUIRE)) sched_yield();
}
static void *poll_meanwhile(void *unused) {
  while (!__atomic_load_n(&inside, __ATOMIC_ACQUIRE)) sched_yield();
  while (!__atomic_load_n(&handled, __ATOMIC_RELAXED)) gasnet_AMPoll(), sched_yield();
  __atomic_store_n(&passed, 1, __ATOMIC_RELEASE);
  return unused;
}
static void flood(int i) {
  int n;
  (void)i;
  for (n = 0; n < (at_once ? 1000000 : 2000); n++) {
    if (!at_once) pthread_mutex_lock(&turn);
    gasnet_AMRequestShort0(next_rank(), 200);
    gasnet_AMPoll();
    if (!at_once) pthread_mutex_unlock(&turn);
  }
}

int main(int argc, char **argv) {
  gasnet_handlerentry_t table[] = { HANDLER(200, on_message), HANDLER(201, on_stay) };
  check_start(&argc, &argv, table, 2, KiB(64));
  if (!strcmp(argv[1], "in_a_handler")) {
    pthread_t other;
    if (me == 1) {
      for (gasnet_AMRequestShort0(0, 201);;) gasnet_AMRequestShort0(0, 200);
    }
    pthread_create(&other, NULL, poll_meanwhile, NULL);
    GASNET_BLOCKUNTIL(__atomic_load_n(&passed, __ATOMIC_RELAXED));
    gasnet_exit(0);
  }
  at_once = !strcmp(argv[1], "at_once");
  on_threads(4, flood);
  GASNET_BLOCKUNTIL(__atomic_load_n(&handled, __ATOMIC_RELAXED) >= 8000);
  barrier();
  return check_end();
}
