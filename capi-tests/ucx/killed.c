/* The last rank waits for rank 0 to leave the network with it, after a good end, and is killed. */
#include <gasnet.h>
#include <signal.h>
#include <unistd.h>

static volatile pid_t pid;

static void tell(gasnet_token_t token, gasnet_handlerarg_t its) {
  (void)token;
  pid = its;
}

int main(int argc, char **argv) {
  gasnet_handlerentry_t table[] = {{200, (void (*)())tell}};
  gasnet_init(&argc, &argv);
  gasnet_attach(table, 1, GASNET_PAGESIZE, 0);
  if (gasnet_mynode() == gasnet_nodes() - 1) gasnet_AMRequestShort1(0, 200, getpid());
  if (gasnet_mynode() == 0) GASNET_BLOCKUNTIL(pid);
  gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
  gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS);
  if (gasnet_mynode() == 0) {
    sleep(1);
    if (pid > 1) kill(pid, SIGKILL);
  }
  gasnet_exit(0);
}
