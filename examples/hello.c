/* Every rank greets rank 0 with an Active Message; rank 0 counts the greetings. */
#include <gasnet.h>
#include <stdio.h>
#include <stdlib.h>

enum { GREET = 200 };
static volatile int greeted = 0;

static void greet(gasnet_token_t token, void *text, size_t nbytes, gasnet_handlerarg_t answer) {
  gasnet_node_t from;
  gasnet_AMGetMsgSource(token, &from);
  printf("rank 0 received from rank %d: \"%.*s\" (%d)\n", (int)from, (int)nbytes, (char *)text, (int)answer);
  fflush(stdout);
  greeted++;
}

int main(int argc, char **argv) {
  gasnet_handlerentry_t table[] = {{GREET, (void (*)(void))greet}};
  char text[64];
  int len;

  if (gasnet_init(&argc, &argv) != GASNET_OK) return 1;
  if (gasnet_attach(table, 1, GASNET_PAGESIZE, 0) != GASNET_OK) return 1;

  len = snprintf(text, sizeof text, "hello from rank %d of %d", (int)gasnet_mynode(), (int)gasnet_nodes());
  gasnet_AMRequestMedium1(0, GREET, text, (size_t)len, 42);

  if (gasnet_mynode() == 0) GASNET_BLOCKUNTIL(greeted == (int)gasnet_nodes());
  gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
  gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS);
  if (gasnet_mynode() == 0) printf("hello: %d ranks greeted\n", greeted);
  gasnet_exit(0);
}
