// gasnet_barrier_try returns NOT_READY until all ranks have notified.
// ranks: 2 3 4 7
#include "check.h"

static volatile int go, ready;
static void on_go(gasnet_token_t t) { (void)t; go = 1; }
static void on_ready(gasnet_token_t t) { (void)t; ready++; }

int main(int argc, char **argv) {
  gasnet_handlerentry_t table[] = { HANDLER(200, on_go), HANDLER(201, on_ready) };
  gasnet_node_t late;
  int i, rc;
  check_start(&argc, &argv, table, 2, GASNET_PAGESIZE);
  for (late = 0; late < nranks; late++) {
    if (me == late) {
      /* notify only after every other rank has tried */
      GASNET_BLOCKUNTIL(ready == (int)nranks - 1);
      ready = 0;
      gasnet_barrier_notify(1, 0);
      CHECK_EQ(gasnet_barrier_wait(1, 0), GASNET_OK);
    } else {
      gasnet_barrier_notify(1, 0);
      for (i = 0; i < 20; i++) CHECK_EQ(gasnet_barrier_try(1, 0), GASNET_ERR_NOT_READY);
      CHECK(gasnet_AMRequestShort0(late, 201) == GASNET_OK);
      while ((rc = gasnet_barrier_try(1, 0)) == GASNET_ERR_NOT_READY) gasnet_AMPoll();
      CHECK_EQ(rc, GASNET_OK);
    }
    barrier();
  }
  (void)go;
  return check_end();
}
