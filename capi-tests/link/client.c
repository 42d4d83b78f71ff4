/* A whole small client: a reply to itself, a barrier, its number of ranks. Links as C and as C++. */
#include <gasnet.h>
#include <gasnet_tools.h>
#include <stdio.h>

enum { PING = 200, PONG = 201 };
static volatile int pongs = 0;

static void ping(gasnet_token_t token, gasnet_handlerarg_t value) { gasnet_AMReplyShort1(token, PONG, value + 1); }
static void pong(gasnet_token_t token, gasnet_handlerarg_t value) {
  (void)token;
  pongs += value;
}

int CLIENT_MAIN(int argc, char **argv) {
  gasnet_handlerentry_t table[] = {{PING, (void (*)())ping}, {PONG, (void (*)())pong}};
  gasnett_atomic_t count = gasnett_atomic_init(0);
  if (gasnet_init(&argc, &argv) != GASNET_OK) return 2;
  if (gasnet_attach(table, 2, GASNET_PAGESIZE, 0) != GASNET_OK) return 3;
  gasnet_AMRequestShort1(0, PING, 41);
  GASNET_BLOCKUNTIL(pongs == 42);
  gasnett_atomic_increment(&count, 0);
  gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
  gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS);
  if (gasnet_mynode() == 0) printf("%d ranks linked well\n", (int)gasnet_nodes());
  gasnet_exit(gasnett_atomic_read(&count, 0) == 1 ? 0 : 4);
  return 5;
}
