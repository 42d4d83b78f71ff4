/* counts TURNS smp|udp: lets callgrind count the instructions of operations between two ranks, one dump for each.
 *
 * Two ranks take turns through the pipes TURNS/0 and TURNS/1, outside of GASNet: while one acts, the other sleeps in the
 * kernel, so each finds the same state each time, on a busy machine, too. The program that reads the dumps is `check`. */
#include "counts.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <valgrind/callgrind.h>

/* Repetitions of each scenario: the first ones may allocate, and on a network a step may meet an old timer. */
enum { REPEATS = 5, SEGMENT = 1 << 20, WATCHDOG_S = 120, REST_US = 2000 };

gasnet_node_t peer;
char *there, *here;
gex_TM_t team;
gex_AD_t counters;
static int turns[2], is_far;

void die(const char *what) {
  fprintf(stderr, "counts: %s failed\n", what);
  gasnet_exit(1);
  abort();
}

static void open_turns(const char *directory) {
  char path[4096];
  for (int rank = 0; rank < 2; rank++) {
    snprintf(path, sizeof path, "%s/%d", directory, rank);
    turns[rank] = open(path, O_RDWR | O_CLOEXEC);
    if (turns[rank] < 0) die(path);
  }
}
static void give_turn(void) {
  /* Until the library's own thread has sent what a call held back for a batch. */
  if (is_far) usleep(REST_US);
  if (write(turns[peer], "", 1) != 1) die("write to a pipe");
}
static void await_turn(void) {
  char byte;
  if (read(turns[1 - peer], &byte, 1) != 1) die("read from a pipe");
}

static void act(const struct step *step, int times) {
  if (step->name == NULL) {
    step->run(times);
    return;
  }
  /* A sender polls the network only if nobody did for a while. A poll may take one datagram of several. */
  for (int i = 0; is_far && step->run != receive && i < 4; i++) gasnet_AMPoll();
  CALLGRIND_ZERO_STATS;
  CALLGRIND_TOGGLE_COLLECT;
  step->run(times);
  CALLGRIND_TOGGLE_COLLECT;
  char label[200];
  snprintf(label, sizeof label, "%d %s", times, step->name);
  CALLGRIND_DUMP_STATS_AT(label);
}

/* Both ranks poll until the path between them is known and all is acknowledged. A put that waits behind a probe of the path would
 * never be done, as its peer sleeps by then. */
static void meet(void) {
  enum { PUTS = 100, POLLS = 1000, PAUSE_US = 200 };
  for (int i = 0; i < PUTS; i++) gasnet_put(peer, there, here, 8);
  gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
  CHECKED(gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS));
  for (int i = 0; i < POLLS; i++) {
    gasnet_AMPoll();
    usleep(PAUSE_US);
  }
}

/* The turn is rank 0's before and after. */
static void play(const struct scenario *scenario) {
  int me = 1 - (int)peer, turn = 0;
  for (int i = 0; i < MOST_STEPS && scenario->steps[i].run != NULL; i++) {
    const struct step *step = &scenario->steps[i];
    if (step->rank != turn) {
      if (me == turn) give_turn();
      else await_turn();
      turn = step->rank;
    }
    if (me == turn) act(step, scenario->times);
  }
  if (turn != 0) {
    if (me == 0) await_turn();
    else give_turn();
  }
}

int main(int argc, char **argv) {
  CHECKED(gasnet_init(&argc, &argv));
  if (argc != 3 || gasnet_nodes() != 2) die("counts TURNS smp|udp on two ranks");
  alarm(WATCHDOG_S);
  peer = 1 - gasnet_mynode();
  is_far = strcmp(argv[2], "smp") != 0;
  open_turns(argv[1]);
  CHECKED(gasnet_attach(am_handlers, am_handler_count, SEGMENT, 0));
  gasnet_seginfo_t segments[2];
  CHECKED(gasnet_getSegmentInfo(segments, 2));
  there = segments[peer].addr;
  here = calloc(1, SEGMENT);
  gasnet_QueryGexObjects(NULL, NULL, &team, NULL);
  gex_AD_Create(&counters, team, GEX_DT_U64, GEX_OP_FADD | GEX_OP_ADD, 0);
  am_start();
  gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
  CHECKED(gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS));

  if (is_far) meet();

  /* Over a network a rank may not wait for one that does not have the turn. */
  static const struct scenario *const near[] = {other_scenarios, am_scenarios, am_large_scenarios, rma_inline_scenarios, rma_outofline_scenarios, NULL};
  static const struct scenario *const far[] = {net_scenarios, am_scenarios, NULL};
  for (const struct scenario *const *chapter = is_far ? far : near; *chapter != NULL; chapter++)
    for (const struct scenario *scenario = *chapter; scenario->times != 0; scenario++)
      for (int i = 0; i < REPEATS; i++) play(scenario);

  gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
  CHECKED(gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS));
  gasnet_exit(0);
  return 0;
}
