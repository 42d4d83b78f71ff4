// SIGKILL to any separately started rank, at any moment of the start or later, ends all ranks, with one line that names it,
// and leaves nothing behind.
// ranks: 3
// modes: par seq
// once: yes
// time: 300
// env: PROGRAM=$exe
// wrap: $exe drive
/* `drive`: kills rank 0, 1 or 2 after 0, STEP (3) and so on up to UP_TO (30) milliseconds. */
#include "ranks.h"

static int bad, jobs;

static void one(char *const *command, int n, int victim, int ms) {
  struct ranks job = new_job(n);
  char what[64], line[64];
  double at;
  int rank, started_late, lines, code_1, unlike = 0;
  jobs++;
  for (rank = n; rank-- > 0;) start_rank(&job, rank, command, NULL);
  for (at = now() + 1e-3 * ms; now() < at;) nap(at - now());
  kill(job.pid[victim], SIGKILL);
  finish_ranks(&job);
  lines = lines_of(job.said);
  snprintf(line, sizeof line, "rank %d (pid %d) on host ", victim, (int)job.pid[victim]);
  /* A rank that was nowhere yet is only missed; of one that had just connected when it was killed, and was collected here before any
     rank had a handle on it, nobody else learns how it ended. */
  started_late = strstr(job.said, "did not come within") != NULL;
  code_1 = ms < 300 && (started_late || strstr(job.said, "only its parent knows how"));
  for (rank = 0; rank < n; rank++)
    if (code_of(&job, rank) != 137 && (rank == victim || !code_1 || code_of(&job, rank) != 1)) unlike = 1;
  if (job.none_left && !unlike && lines == 1 && ((ms < 300 && started_late) || strstr(job.said, line))) return;
  bad++;
  snprintf(what, sizeof what, "rank %d killed after %d ms", victim, ms);
  wrong_ranks(&job, what);
}

/* The only child of rank 0 is the warden, whose death also ends all ranks. */
static void kill_the_warden(char *const *command, int n) {
  struct ranks job = new_job(n);
  const double late = now() + LIMIT_S;
  char path[64], line[64];
  int rank, warden = 0;
  for (rank = 0; rank < n; rank++) start_rank(&job, rank, command, NULL);
  snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)job.pid[0], (int)job.pid[0]);
  while (warden <= 0 && now() < late) {
    FILE *children = fopen(path, "r");
    if (children && fscanf(children, "%d", &warden) != 1) warden = 0;
    if (children) fclose(children);
    nap(0.001);
  }
  nap(0.3);
  kill(warden, SIGKILL);
  finish_ranks(&job);
  jobs++;
  snprintf(line, sizeof line, "warden (pid %d) died of SIGKILL", warden);
  if (all_ended_with(&job, 137) && lines_of(job.said) == 1 && strstr(job.said, line)) return;
  bad++;
  wrong_ranks(&job, "the warden is killed");
}

/* A rank that comes after the end of the job gets its exit code. */
static void one_comes_late(char *const *command) {
  struct ranks job = new_job(3);
  char line[64];
  start_rank(&job, 1, command, NULL);
  start_rank(&job, 0, command, NULL);
  nap(0.1);
  kill(job.pid[1], SIGKILL);
  nap(0.1);
  start_rank(&job, 2, command, NULL);
  finish_ranks(&job);
  jobs++;
  snprintf(line, sizeof line, "rank 1 (pid %d) on host ", (int)job.pid[1]);
  /* After more than a second it does not find the other ranks. */
  if (job.none_left && code_of(&job, 0) == 137 && strstr(job.said, line) &&
      (code_of(&job, 2) == 137 || strstr(job.said, "rank 0 did not come within")))
    return;
  bad++;
  wrong_ranks(&job, "a rank comes late");
}

static void drive(void) {
  char *command[] = {getenv("PROGRAM"), NULL};
  const char *up_to = getenv("UP_TO"), *step = getenv("STEP");
  const int n = atoi(getenv("RANKS"));
  int ms, victim = 0;
  adopt();
  setenv("GASNET_SPAWN_TIMEOUT", "1", 1);
  for (ms = 0; ms <= (up_to ? atoi(up_to) : 30); ms += step ? atoi(step) : 3)
    for (victim = 0; victim < n; victim++) one(command, n, victim, ms);
  for (victim = 0; victim < n; victim++) one(command, n, victim, 300);
  one_comes_late(command);
  kill_the_warden(command, n);
  if (!bad) all_ok(getenv("RANKS"));
  fprintf(stderr, "ERROR: %d of %d jobs\n", bad, jobs);
  exit(1);
}

int main(int argc, char **argv) {
  if (argc > 1 && !strcmp(argv[1], "drive")) drive();
  check_start(&argc, &argv, NULL, 0, KiB(64));
  for (;;) barrier();
}
