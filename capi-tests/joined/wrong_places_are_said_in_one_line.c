// Separately started processes whose settings do not make one job end with one line that gives the reason.
// ranks: 3
// modes: par seq
// once: yes
// env: PROGRAM=$exe
// wrap: $exe drive
#include "ranks.h"

static int bad;
static int as_rank = -1, with_size = -1;
static const char *variable, *value;

/* Changes the settings of rank 2. */
static void own(int rank) {
  if (rank != 2) return;
  if (as_rank >= 0) number("GASNET_BOOTSTRAP_RANK", as_rank);
  if (with_size >= 0) number("GASNET_BOOTSTRAP_SIZE", with_size);
  if (variable && value) setenv(variable, value, 1);
  if (variable && !value) unsetenv(variable);
}

/* Each rank of `from` to 2 is started, and all of them end with `code`; one line holds `text`. */
static void expect(int from, int code, const char *text) {
  char *command[] = {getenv("PROGRAM"), NULL};
  struct ranks job = new_job(3);
  int rank;
  for (rank = 2; rank >= from; rank--) start_rank(&job, rank, command, own);
  finish_ranks(&job);
  if (!all_ended_with(&job, code) || lines_of(job.said) != 1 || !strstr(job.said, text)) bad++, wrong_ranks(&job, text);
  as_rank = with_size = -1, variable = value = NULL;
}

static void drive(void) {
  adopt();
  setenv("GASNET_SPAWN_TIMEOUT", "1.5", 1);
  as_rank = 1;
  expect(0, 1, "both have GASNET_BOOTSTRAP_RANK=1");
  with_size = 4;
  expect(0, 1, "GASNET_BOOTSTRAP_SIZE is 3 at rank 0 and 4 at rank 2");
  variable = "GASNET_BARRIER", value = "AMDISSEM";
  expect(0, 1, "GASNET_BARRIER is PSHM at rank 0 and AMDISSEM at rank 2");
  variable = "GASNET_WAIT_SPIN_US", value = "often";
  expect(0, 134, "GASNET_WAIT_SPIN_US='often'");
  variable = "GASNET_BOOTSTRAP_JOB", value = "another-job-of-somebody";
  expect(2, 1, "rank 0 did not come within 1.5 s (GASNET_SPAWN_TIMEOUT)");
  as_rank = 0, with_size = 2;
  expect(2, 1, "rank 1 of the job of 2 did not come within 1.5 s (GASNET_SPAWN_TIMEOUT)");
  as_rank = 3;
  expect(2, 134, "GASNET_BOOTSTRAP_RANK=3 must be less than GASNET_BOOTSTRAP_SIZE=3");
  variable = "GASNET_BOOTSTRAP_JOB", value = "short";
  expect(2, 134, "GASNET_BOOTSTRAP_JOB has 5 characters");
  variable = "GASNET_BOOTSTRAP_SIZE";
  expect(2, 134, "GASNET_BOOTSTRAP=local needs GASNET_BOOTSTRAP_SIZE");
  variable = "GASNET_BOOTSTRAP";
  expect(2, 134, "has no effect without GASNET_BOOTSTRAP=local");
  if (!bad) all_ok(getenv("RANKS"));
  exit(1);
}

int main(int argc, char **argv) {
  if (argc > 1 && !strcmp(argv[1], "drive")) drive();
  check_start(&argc, &argv, NULL, 0, KiB(64));
  return check_end();
}
