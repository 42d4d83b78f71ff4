// A client's interval timer interrupts every kind of call, at start too, and nothing fails for it.
// ranks: 1 2 4
#include "check.h"

#include <signal.h>
#include <sys/time.h>
#include <time.h>

static volatile sig_atomic_t ticks;
static void tick(int s) { (void)s; ticks++; }
static volatile int replies;
static void req(gasnet_token_t t, void *b, size_t n) { CHECK(gasnet_AMReplyMedium0(t, 201, b, n) == GASNET_OK); }
static void rep(gasnet_token_t t, void *b, size_t n) { (void)t; CHECK(filled(b, n, 1)); replies++; }

int main(int argc, char **argv) {
  gasnet_handlerentry_t table[] = { HANDLER(200, req), HANDLER(201, rep) };
  struct itimerval every = { { 0, 500 }, { 0, 500 } }, never = { { 0, 0 }, { 0, 0 } };
  struct sigaction action;
  static char bytes[20000], back[20000];
  int i;
  memset(&action, 0, sizeof action);
  action.sa_handler = tick;   /* no SA_RESTART: system calls do return EINTR */
  sigaction(SIGALRM, &action, NULL);
  check_init(&argc, &argv);
  setitimer(ITIMER_REAL, &every, NULL);
  check_attach(table, 2, MiB(1));
  fill(bytes, sizeof bytes, 1);
  for (i = 0; i < 300; i++) {
    CHECK(gasnet_AMRequestMedium0(next_rank(), 200, bytes, (size_t)i * 60) == GASNET_OK);
    gasnet_put_bulk(next_rank(), seg(next_rank()), bytes, sizeof bytes);
    gasnet_get_bulk(back, next_rank(), seg(next_rank()), sizeof back);
    CHECK(filled(back, sizeof back, 1));
    GASNET_BLOCKUNTIL(replies == i + 1);
    if (i % 10 == 0 && me == 0) { struct timespec t = { 0, 3000000 }; nanosleep(&t, NULL); }
    barrier();
  }
  setitimer(ITIMER_REAL, &never, NULL);
  CHECK(ticks > 0);
  return check_end();
}
