// ranks: 1
// modes: par seq
// time: 30
// expect: stderr /report on the one rank of the job. it was asked for at rank 0/; stderr /waits in GASNET_BLOCKUNTIL at .*explains_itself\.c:[0-9]+, for/; stderr /#[0-9]+ .*main\+/; stderr /end of the report/
/* It has no warden: a copy of the process writes the report. */
#include "check.h"

#include <signal.h>

static volatile int let_go;

static void *ask(void *unused) {
  usleep(300000);
  kill(getpid(), SIGUSR2);
  usleep(700000);
  let_go = 1;
  return unused;
}

int main(int argc, char **argv) {
  pthread_t asker;
  check_start(&argc, &argv, NULL, 0, GASNET_PAGESIZE);
  MUST(pthread_create(&asker, NULL, ask, NULL) == 0);
  GASNET_BLOCKUNTIL(let_go);
  pthread_join(asker, NULL);
  return check_end();
}
