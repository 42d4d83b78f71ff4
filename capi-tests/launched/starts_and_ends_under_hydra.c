// Jobs whose ranks mpiexec starts: placements, exit codes, deaths, tasks that never come, a launcher that is killed. One line gives the
// reason for the end, and no process remains.
// ranks: 4
// modes: par seq
// once: yes
// needs: command -v mpiexec.hydra
// env: PROGRAM=$exe
// wrap: $exe drive
#include "check.h"
#include "../start/drive.h"
#include <gasnetex.h>

static int bad;

/* mpiexec starts 4 ranks that do `what`, on one node or, each with every second rank, on two. */
static struct job start(const char *conduit, int nodes, char *what) {
  char *one[] = {"mpiexec.hydra", "-launcher", "fork", "-n", "4", getenv("PROGRAM"), what, NULL};
  char *two[] = {"mpiexec.hydra", "-launcher", "fork", "-hosts", "a,b", "-ppn", "1", "-n", "4", getenv("PROGRAM"), what, NULL};
  setenv("GASNET_CONDUIT", conduit, 1);
  setenv("GASNET_BOOTSTRAP_HOSTS", nodes == 2 ? "launcher" : "memory", 1);
  return begin(nodes == 2 ? two : one);
}

static int count(const char *text, const char *part) {
  int n = 0;
  for (; (text = strstr(text, part)); text++) n++;
  return n;
}

/* The job ends, and leaves nothing; with `code`, or (-1) with any but 0; its stderr has one line of the library, with `line` in it, or (NULL) none. */
static void expect(struct job job, int code, const char *line) {
  const char *what = line ? line : "no line";
  finish(&job);
  if (!job.none_left || (code < 0 ? exit_code(&job) == 0 : exit_code(&job) != code) || count(job.said, "***") != !!line ||
      (line && !strstr(job.said, line)))
    bad++, wrong(&job, what);
}

/* Waits until the job has printed `text` `times` times. */
static void printed(struct job *job, const char *text, int times) {
  char so_far[4096];
  const double late = now() + LIMIT_S;
  do {
    const ssize_t n = pread(job->out, so_far, sizeof so_far - 1, 0);
    so_far[n > 0 ? n : 0] = 0;
    if (count(so_far, text) < times) nap(0.005);
  } while (count(so_far, text) < times && now() < late);
}

static void drive(void) {
  struct job job;
  const char *conduits[] = {"smp", "udp"};
  int at;
  adopt();
  unsetenv("GASNET_PSHM_NODES");
  for (at = 0; at < 2; at++) {
    expect(start(conduits[at], 1, "hosts:4"), 0, NULL);
    expect(start(conduits[at], 1, "exit"), 7, NULL);
    job = start(conduits[at], 1, "wait");
    printed(&job, "here", 4);
    kill(job.pid, SIGKILL);
    finish(&job);
    if (!job.none_left) bad++, wrong(&job, "a killed launcher");
  }
  /* mpiexec kills the others at once, too: the line may name one of these, or be lost with mpiexec's output. */
  job = start("smp", 1, "die");
  finish(&job);
  if (!job.none_left || exit_code(&job) == 0 || count(job.said, "***") > 1 || (*job.said && !strstr(job.said, "died of SIGKILL; ending the job")))
    bad++, wrong(&job, "a rank that dies");
  expect(start("udp", 2, "hosts:2"), 0, NULL);
  expect(start("udp", 2, "exit"), 7, NULL);
  expect(start("smp", 2, "hosts:4"), -1, "the smp conduit has no network");
  setenv("GASNET_SPAWN_TIMEOUT", "1.5", 1);
  job = start("smp", 1, "early");
  finish(&job);
  if (!job.none_left || exit_code(&job) == 0) bad++, wrong(&job, "a task that never comes");
  if (!bad) all_ok(getenv("RANKS"));
  exit(1);
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "";
  gex_Rank_t on_host;
  if (!strcmp(what, "drive")) drive();
  if (!strcmp(what, "early") && getenv("PMI_RANK") && atoi(getenv("PMI_RANK")) == 1) return 0;
  check_start(&argc, &argv, NULL, 0, KiB(64));
  gex_System_QueryHostInfo(NULL, &on_host, NULL);
  if (!strncmp(what, "hosts:", 6)) {
    CHECK(gasnet_nodes() == 4);
    CHECK(on_host == (gex_Rank_t)atoi(what + 6));
    return check_end();
  }
  printf("here\n");
  fflush(stdout);
  gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
  gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS);
  if (!strcmp(what, "exit") && gasnet_mynode() == 1) gasnet_exit(7);
  if (!strcmp(what, "die") && gasnet_mynode() == 2) raise(SIGKILL);
  for (;;) gasnet_AMPoll();
}
