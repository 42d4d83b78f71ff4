// ranks: 2
// modes: par
// once: yes
// time: 30
// wrap: env GASNET_HANG_TIMEOUT=$(case $CASE in *-timeout) echo 0.3;; *) echo 0;; esac) GASNET_HANG_ACTION=$(case $CASE in abort*) echo abort;; *) echo report;; esac)
// case barrier-usr2: stderr /report on all 2 ranks of the job: it was asked for at rank 0/; stderr /waits in barrier phase [0-9]+, id 7, for/; stderr /rank 0 waits. rank 1 has not come/; stderr /does not wait in the library/; stderr /#[0-9]+ .*compute_without_end/; stderr /end of the report/
// case barrier-info: stderr /report on all 2 ranks of the job/; stderr /waits in barrier phase [0-9]+, id 7, for/; stderr /rank 0 waits. rank 1 has not come/; stderr /#[0-9]+ .*compute_without_end/
// case barrier-timeout: stderr /report on all 2 ranks of the job: no progress for 0.3 s/; stderr /waits in barrier phase [0-9]+, id 7, for/; stderr /rank 1 has not come/
// case until-usr2: stderr /waits in GASNET_BLOCKUNTIL at .*says_where_it_hangs\.c:[0-9]+, for/; stderr /no message is in flight/
// case until-timeout: stderr /waits in GASNET_BLOCKUNTIL at .*says_where_it_hangs\.c:[0-9]+, for/
// case room-usr2: stderr /waits to send a message to rank 1, whose queue is full, for/; stderr /in flight: [0-9]+ requests from rank 0 to rank 1, the last sent about .* ago. not taken/
// case room-info: stderr /waits to send a message to rank 1, whose queue is full, for/; stderr /in flight: [0-9]+ requests from rank 0 to rank 1/
// case lost-usr2: stderr /waits in GASNET_BLOCKUNTIL at/; stderr /from it, handled: requests [0-9]+, replies 0/; stderr /no message is in flight/
// case handler-usr2: stderr /in flight: [0-9]+ requests? from rank 0 to rank 1, .* in their handlers/; stderr /#[0-9]+ .*compute_without_end/
// case stopped-usr2: stderr /--- rank 1 \(pid [0-9]+\) is stopped by a signal. kill -CONT/; stderr /waits (in barrier|for 1 put to complete, the last with rank 1)/; stderr /\[stopped\]/
// case stopped-info: stderr /--- rank 1 \(pid [0-9]+\) is stopped by a signal. kill -CONT/; stderr /waits (in barrier|for 1 put to complete, the last with rank 1)/
// case lock-usr2: stderr /waits for the handler-safe lock at 0x[0-9a-f]+, for/; stderr /#[0-9]+ .*wait_for_lock/
// case coll-usr2: exit 3; stderr /in collective [0-9]+ of team 0x0 \(/; stderr /its members have called different collectives: a mismatch/
// case own-info: stderr /SIGUSR2 is the program's own: gasnet_info --job/; stderr /waits in barrier phase [0-9]+, id 7, for/
// case abort-timeout: exit 1; stderr /waits in barrier phase [0-9]+, id 7, for/; stderr /ending the job, which makes no progress \(GASNET_HANG_ACTION\)/
/* Each case hangs for a second in its own way, KIND-TRIGGER; meanwhile a report is requested and must name the reason. Then the job continues. */
#include "check.h"

#include <gasnet_coll.h>
#include <signal.h>
#include <time.h>

enum { NOP = 200, FLAG, SPIN, PID };

static volatile int flagged, peer_pid, own_signals;
static gasnet_hsl_t lock = GASNET_HSL_INITIALIZER;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A client that computes and does not call the library. */
__attribute__((noinline)) static void compute_without_end(double seconds) {
  double end = now() + seconds;
  while (now() < end) continue;
}

static void nop(gasnet_token_t token) { (void)token; }
static void flag(gasnet_token_t token) { (void)token, flagged = 1; }
static void spin(gasnet_token_t token) { (void)token, compute_without_end(1.0); }
static void pid(gasnet_token_t token, gasnet_handlerarg_t arg) { (void)token, peer_pid = arg; }
static void own_handler(int signal) { (void)signal, own_signals = own_signals + 1; }

static const char *kind, *trigger;

static int is(const char *name) { return strncmp(kind, name, strlen(name)) == 0 && kind[strlen(name)] == '-'; }

/* Until the other rank has been stopped. */
static void wait_for_stop(void) {
  char path[64], text[256], state = 0;
  double limit = now() + 20;
  snprintf(path, sizeof path, "/proc/%d/stat", (int)peer_pid);
  while (state != 'T' && now() < limit) {
    FILE *file = fopen(path, "r");
    MUST(file != NULL);
    if (!fgets(text, sizeof text, file) || !strrchr(text, ')')) text[0] = 0;
    fclose(file);
    if (text[0]) state = strrchr(text, ')')[2];
    usleep(5000);
  }
  CHECK(state == 'T');
}

/* Requests a report as a user would. */
static void *ask(void *unused) {
  char command[600];
  usleep(500000);
  if (is("stopped")) {
    while (!peer_pid) usleep(5000);
    wait_for_stop();
    usleep(200000); /* rank 0 waits for it */
  }
  if (strcmp(trigger, "usr2") == 0) kill(getpid(), SIGUSR2);
  if (strcmp(trigger, "info") == 0) {
    int of = is("stopped") ? peer_pid : (int)getpid();
    if (is("own")) kill(getpid(), SIGUSR2);
    snprintf(command, sizeof command, "'%s/bin/gasnet_info' --job %d", getenv("PREFIX"), of);
    CHECK(system(command) == 0);
  }
  usleep(700000);
  if (is("stopped")) kill(peer_pid, SIGCONT);
  if (is("coll")) {
    usleep(500000);
    gasnet_exit(3);
  }
  return unused;
}

static void *hold_lock(void *unused) {
  gasnet_hsl_lock(&lock);
  flagged = 1;
  compute_without_end(1.1);
  gasnet_hsl_unlock(&lock);
  return unused;
}

__attribute__((noinline)) static void wait_for_lock(void) {
  gasnet_hsl_lock(&lock);
  gasnet_hsl_unlock(&lock);
}

static void named_barrier(void) {
  gasnet_barrier_notify(7, 0);
  CHECK(gasnet_barrier_wait(7, 0) == GASNET_OK);
}

static void hang(void) {
  static char buffer[64];
  pthread_t holder;
  int i;
  if (is("barrier") || is("own") || is("abort")) {
    if (me == 1) compute_without_end(is("abort") ? 20 : 1.2);
    named_barrier();
  } else if (is("until") || is("lost")) {
    if (me == 0) {
      if (is("lost")) MUST(gasnet_AMRequestShort0(1, NOP) == GASNET_OK);
      GASNET_BLOCKUNTIL(flagged);
    } else {
      double end = now() + 1.2;
      while (now() < end) gasnet_AMPoll();
      MUST(gasnet_AMRequestShort0(0, FLAG) == GASNET_OK);
    }
  } else if (is("room")) {
    if (me == 0)
      for (i = 0; i < 30000; i++) MUST(gasnet_AMRequestShort0(1, NOP) == GASNET_OK);
    else
      compute_without_end(1.2);
  } else if (is("handler")) {
    if (me == 0) MUST(gasnet_AMRequestShort0(1, SPIN) == GASNET_OK);
  } else if (is("stopped")) {
    if (me == 1) {
      MUST(gasnet_AMRequestShort1(0, PID, (int)getpid()) == GASNET_OK);
      for (i = 0; i < 50; i++) usleep(2000), gasnet_AMPoll(); /* it has left */
      raise(SIGSTOP);
    } else {
      GASNET_BLOCKUNTIL(peer_pid != 0);
      wait_for_stop();
      gasnet_put(1, seg(1), buffer, sizeof buffer);
    }
  } else if (is("lock") && me == 0) {
    MUST(pthread_create(&holder, NULL, hold_lock, NULL) == 0);
    while (!flagged) continue;
    wait_for_lock();
    pthread_join(holder, NULL);
  } else if (is("coll")) {
    static int from[2], to[2];
    gasnet_coll_init(NULL, 0, NULL, 0, 0);
    /* Two that leave each other waiting: by messages others do than through shared memory. */
    gasnet_nodeinfo_t places[64];
    int flags = GASNET_COLL_IN_NOSYNC | GASNET_COLL_OUT_NOSYNC | GASNET_COLL_LOCAL;
    MUST(gasnet_getNodeInfo(places, (int)nranks) == GASNET_OK);
    if (places[0].supernode == places[nranks - 1].supernode) {
      flags = GASNET_COLL_IN_ALLSYNC | GASNET_COLL_OUT_ALLSYNC | GASNET_COLL_LOCAL;
      if (me == 1) gasnet_coll_exchange(GASNET_TEAM_ALL, to, from, sizeof to[0], flags);
    } else if (me == 1)
      gasnet_coll_gather(GASNET_TEAM_ALL, 1, to, from, sizeof to[0], flags);
    if (me == 0) gasnet_coll_broadcast(GASNET_TEAM_ALL, to, 1, from, sizeof to, flags);
  }
}

int main(int argc, char **argv) {
  gasnet_handlerentry_t table[] = {HANDLER(NOP, nop), HANDLER(FLAG, flag), HANDLER(SPIN, spin), HANDLER(PID, pid)};
  pthread_t asker;
  kind = argc > 1 ? argv[1] : "barrier-usr2";
  trigger = strchr(kind, '-') + 1;
  if (is("own")) signal(SIGUSR2, own_handler);
  check_start(&argc, &argv, table, COUNT_OF(table), GASNET_PAGESIZE);
  if (me == 0) MUST(pthread_create(&asker, NULL, ask, NULL) == 0);
  hang();
  barrier();
  if (me == 0) pthread_join(asker, NULL);
  if (is("own")) CHECK_EQ(own_signals, me == 0 ? 1 : 0);
  return check_end();
}
