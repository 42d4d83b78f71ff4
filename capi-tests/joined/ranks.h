/* Shared by drivers that start each rank of a job of smp by themselves: the start, rank by rank, with settings of its own, and
   what all of them printed and how each ended. */
#include "check.h"
#include "../start/drive.h"

#define MOST 8

struct ranks {
  int n, none_left, status[MOST];
  pid_t pid[MOST];
  int out, err; /* memory that has their stdout and stderr */
  char said[4096], printed[4096], name[64];
};

static void number(const char *name, long value) {
  char text[32];
  snprintf(text, sizeof text, "%ld", value);
  setenv(name, text, 1);
}

/* Prepares a job of `n` ranks, without starting them. */
static struct ranks new_job(int n) {
  static int jobs;
  struct ranks job = {n, 0, {0}, {0}, nameless(), nameless(), "", "", ""};
  snprintf(job.name, sizeof job.name, "secret-of-a-test-%d-%d-%f", (int)getpid(), jobs++, now());
  return job;
}

/* Starts `rank`; `own`, which may be NULL, prepares its process. */
static void start_rank(struct ranks *job, int rank, char *const *command, void (*own)(int rank)) {
  if ((job->pid[rank] = fork()) == 0) {
    const int null = open("/dev/null", O_RDWR);
    unsetenv("GASNET_PSHM_NODES");
    setenv("GASNET_BOOTSTRAP", "local", 1);
    setenv("GASNET_BOOTSTRAP_JOB", job->name, 1);
    number("GASNET_BOOTSTRAP_RANK", rank);
    number("GASNET_BOOTSTRAP_SIZE", job->n);
    if (own) own(rank);
    if (dup2(null, 0) < 0 || dup2(job->out, 1) < 0 || dup2(job->err, 2) < 0) _exit(96);
    close(null);
    execv(command[0], command);
    _exit(97);
  }
}

/* Waits until all ranks that were started have ended, and nothing is left of them. */
static void finish_ranks(struct ranks *job) {
  const double late = now() + LIMIT_S;
  while (now() < late) {
    int status, rank;
    const pid_t ended = waitpid(-1, &status, WNOHANG);
    for (rank = 0; ended > 0 && rank < job->n; rank++)
      if (job->pid[rank] == ended) job->status[rank] = status;
    if (ended < 0 && errno == ECHILD) {
      job->none_left = 1;
      break;
    }
    if (ended == 0) nap(0.001);
  }
  take(job->err, job->said, sizeof job->said);
  take(job->out, job->printed, sizeof job->printed);
}

static int code_of(const struct ranks *job, int rank) {
  const int status = job->status[rank];
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Whether all ranks have ended with `code`. */
static CHECK_UNUSED int all_ended_with(const struct ranks *job, int code) {
  int rank;
  for (rank = 0; rank < job->n; rank++)
    if (job->pid[rank] && code_of(job, rank) != code) return 0;
  return job->none_left;
}

static void wrong_ranks(const struct ranks *job, const char *what) {
  int rank;
  fprintf(stderr, "ERROR: %s: %s; codes", what, job->none_left ? "ended otherwise" : "processes are left");
  for (rank = 0; rank < job->n; rank++) fprintf(stderr, " %d", code_of(job, rank));
  fprintf(stderr, "\n%s", job->said);
  end_the_rest();
}
