// A rank that sleeps in a barrier is woken by each message and answers it: its statistics show that sleeps end in this way,
// and not because their time was over.
// ranks: 2
// env: GASNET_STATSFILE=stdout GASNET_STATSMASK=X
// expect: stdout /^1> \(X\) SLEEP_WOKEN +count [1-9][0-9]/
#include "check.h"
#include <fcntl.h>

enum { ROUNDS = 100 };
static volatile int came;
static volatile int peer;
static void hello(gasnet_token_t t, gasnet_handlerarg_t pid) { (void)t; peer = (int)pid; }
static void pong(gasnet_token_t t) { (void)t; came++; }
static void pong_with(gasnet_token_t t, void *buf, size_t n) { (void)t; (void)buf; (void)n; came++; }
static void ping(gasnet_token_t t) { CHECK(gasnet_AMReplyShort0(t, 202) == GASNET_OK); }
static void ping_with(gasnet_token_t t, void *buf, size_t n) {
  CHECK(gasnet_AMReplyMedium0(t, 203, buf, n) == GASNET_OK);
}

/* Returns once the peer's main thread sleeps, according to the kernel. */
static void wait_until_peer_sleeps(void) {
  char path[64], stat[512];
  const char *state;
  ssize_t n;
  int fd;
  snprintf(path, sizeof path, "/proc/%d/stat", peer);
  for (;;) {
    CHECK((fd = open(path, O_RDONLY)) >= 0);
    n = read(fd, stat, sizeof stat - 1);
    close(fd);
    CHECK(n > 0);
    stat[n] = 0;
    CHECK((state = strrchr(stat, ')')) != NULL);
    if (state[2] == 'S') return;
    usleep(50);
  }
}

int main(int argc, char **argv) {
  gasnet_handlerentry_t table[] = { HANDLER(200, ping), HANDLER(201, ping_with), HANDLER(202, pong), HANDLER(203, pong_with),
                                    HANDLER(204, hello) };
  char bytes[100] = { 0 };
  int i;
  check_start(&argc, &argv, table, 5, KiB(64));
  if (gasnet_mynode() == 1) CHECK(gasnet_AMRequestShort1(0, 204, (gasnet_handlerarg_t)getpid()) == GASNET_OK);
  if (gasnet_mynode() == 0) {
    GASNET_BLOCKUNTIL(peer);
    for (i = 1; i <= ROUNDS; i++) {
      wait_until_peer_sleeps();
      switch (i % 3) {
      case 0: CHECK(gasnet_AMRequestShort0(1, 200) == GASNET_OK); break;
      case 1: CHECK(gasnet_AMRequestMedium0(1, 201, bytes, sizeof bytes) == GASNET_OK); break;
      case 2: CHECK(gasnet_AMRequestLong0(1, 201, bytes, sizeof bytes, seg(1)) == GASNET_OK); break;
      }
      GASNET_BLOCKUNTIL(came == i);
    }
  }
  barrier();
  return check_end();
}
