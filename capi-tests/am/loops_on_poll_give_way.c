// Clients that wait in loops of their own, on gasnet_AMPoll or a try call, get on where ranks outnumber cores: a hop
// from rank to rank takes a turn of the scheduler, not a time slice of each rank in between.
// ranks: 7
// modes: seq par
// time: 60
#include "check.h"

enum { ROUNDS = 2000 };
static volatile int came;
static void go_on(gasnet_token_t t) { (void)t; __atomic_fetch_add(&came, 1, __ATOMIC_RELAXED); }

int main(int argc, char **argv) {
  gasnet_handlerentry_t table[] = { HANDLER(200, go_on) };
  int i;
  check_start(&argc, &argv, table, 1, KiB(64));
  for (i = 1; i <= ROUNDS; i++) {
    if (gasnet_mynode() != 0)
      while (came < i) CHECK(gasnet_AMPoll() == GASNET_OK);
    CHECK(gasnet_AMRequestShort0(next_rank(), 200) == GASNET_OK);
    if (gasnet_mynode() == 0)
      while (came < i) CHECK(gasnet_AMPoll() == GASNET_OK);
  }
  for (i = 0; i < ROUNDS; i++) {
    int rc;
    gasnet_barrier_notify(i, 0);
    while ((rc = gasnet_barrier_try(i, 0)) == GASNET_ERR_NOT_READY) { }
    CHECK_EQ(rc, GASNET_OK);
  }
  return check_end();
}
