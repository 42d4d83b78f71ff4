// ranks: 2
// once: yes
// time: 120
// wrap: bash $here/exit/late_check
/* A job that one rank ends with code 0 while another one is busy: late WHO DOES [QUIT]
     WHO   the rank that is late; the others return 0 from main
     DOES  compute: for 2.5 s, then prints and returns 0; blocked: the same with all signals blocked; spin: for ever, all signals blocked;
           poll, sleep, until (asleep in the library): for ever; again: computes, then waits for ever; fails: computes, then returns 3;
           dies: computes, then aborts
     QUIT  deaf: a SIGQUIT handler that does nothing; exits: one that exits with 31 */
#include <gasnet.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static volatile int sink;
static void on_quit(int sig) { (void)sig; }
static void exits(int sig) { (void)sig, gasnet_exit(31); }

static void compute(double seconds) {
  struct timespec now, start;
  clock_gettime(CLOCK_MONOTONIC, &start);
  do {
    int i;
    for (i = 0; i < 1000000; i++) sink++;
    clock_gettime(CLOCK_MONOTONIC, &now);
  } while ((double)(now.tv_sec - start.tv_sec) + 1e-9 * (double)(now.tv_nsec - start.tv_nsec) < seconds);
}

static int is(const char *a, const char *b) { return a && !strcmp(a, b); }

int main(int argc, char **argv) {
  const char *does;
  gasnet_init(&argc, &argv);
  gasnet_attach(NULL, 0, GASNET_PAGESIZE, 0);
  if (argc < 3) {
    fprintf(stderr, "ERROR: late WHO DOES [QUIT]\n");
    gasnet_exit(98);
  }
  printf("rank %d begins\n", (int)gasnet_mynode()); /* stays in a buffer until the end */
  gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
  gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS);
  if (atoi(argv[1]) != (int)gasnet_mynode()) return 0;
  does = argv[2];
  if (is(argv[3], "deaf")) signal(SIGQUIT, on_quit);
  if (is(argv[3], "exits")) signal(SIGQUIT, exits);
  if (is(does, "blocked") || is(does, "spin")) {
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
  }
  if (is(does, "spin")) for (;;) sink++;
  if (is(does, "poll")) for (;;) gasnet_AMPoll();
  if (is(does, "sleep")) for (;;) sleep(1000);
  if (is(does, "until")) GASNET_BLOCKUNTIL(sink == -1);
  compute(2.5);
  printf("rank %d ends\n", (int)gasnet_mynode());
  if (is(does, "again")) GASNET_BLOCKUNTIL(sink == -1);
  if (is(does, "dies")) abort();
  return is(does, "fails") ? 3 : 0;
}
