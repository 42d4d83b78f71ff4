/* A job whose last rank asks for its end in a handler, gasnet_exit(20), while the others communicate: their handlers of SIGQUIT, which interrupt MPI,
   call gasnet_exit, too. */
#include <gasnet.h>
#include <signal.h>
#include <stdio.h>

enum { ENDS = 200, ANSWERS, ANSWER };

static volatile int answers;

static void on_quit(int signal) {
  (void)signal;
  gasnet_exit(4);
}
static void on_end(gasnet_token_t token) {
  (void)token;
  gasnet_exit(20);
}
static void on_request(gasnet_token_t token) { gasnet_AMReplyShort0(token, ANSWER); }
static void on_answer(gasnet_token_t token) {
  (void)token;
  answers++;
}

int main(int argc, char **argv) {
  gasnet_handlerentry_t table[] = {{ENDS, (void (*)(void))on_end}, {ANSWERS, (void (*)(void))on_request}, {ANSWER, (void (*)(void))on_answer}};
  gasnet_node_t me, nodes;
  int i;
  gasnet_init(&argc, &argv);
  gasnet_attach(table, 3, GASNET_PAGESIZE, 0);
  signal(SIGQUIT, on_quit);
  me = gasnet_mynode(), nodes = gasnet_nodes();
  gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
  gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS);
  for (i = 0;; i++) {
    gasnet_AMRequestShort0((me + 1) % nodes, ANSWERS);
    GASNET_BLOCKUNTIL(answers > i);
    if (i == 100) gasnet_AMRequestShort0(nodes - 1, ENDS);
  }
}
