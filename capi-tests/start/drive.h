/* Functions of drivers of many jobs: they run a command as a job, in a process group of its own, and check its exit code, its
   stderr and whether a process of it is left. */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

#define LIMIT_S 30

struct job {
  pid_t pid;
  int out, err; /* memory files that receive its stdout and stderr */
  int ended, none_left, status;
  char said[4096], printed[4096];
};

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void nap(double seconds) {
  struct timespec t = {(time_t)seconds, (long)(1e9 * (seconds - (double)(time_t)seconds))};
  nanosleep(&t, NULL);
}

/* Processes that a job leaves behind become children of this process. */
static void adopt(void) {
  prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
}

/* A file without a name, to which processes append. */
static CHECK_UNUSED int nameless(void) {
  const int fd = memfd_create("output", MFD_CLOEXEC);
  if (fd < 0 || fcntl(fd, F_SETFL, O_APPEND) < 0) exit(96);
  return fd;
}

static CHECK_UNUSED struct job begin(char **command) {
  struct job job = {0, nameless(), nameless(), 0, 0, 0, "", ""};
  job.pid = fork();
  if (job.pid == 0) {
    const int null = open("/dev/null", O_RDWR);
    setpgid(0, 0);
    if (dup2(null, 0) < 0 || dup2(job.out, 1) < 0 || dup2(job.err, 2) < 0) _exit(96);
    close(null);
    execvp(command[0], command);
    _exit(97);
  }
  setpgid(job.pid, job.pid);
  return job;
}

/* Collects descendants until `pid` has ended, and its status is known, or (-1) until none is left. 0: the time limit was exceeded. */
static int collect(pid_t pid, int *status) {
  const double late = now() + LIMIT_S;
  while (now() < late) {
    int got;
    pid_t ended = waitpid(-1, &got, WNOHANG);
    if (ended > 0 && ended == pid) return *status = got, 1;
    if (ended < 0 && errno == ECHILD) return pid < 0;
    if (ended == 0) nap(0.001);
  }
  return 0;
}

/* The start of a file, which is closed. */
static void take(int fd, char *text, size_t most) {
  const ssize_t n = pread(fd, text, most - 1, 0);
  text[n > 0 ? n : 0] = 0;
  close(fd);
}

static CHECK_UNUSED void finish(struct job *job) {
  job->ended = collect(job->pid, &job->status);
  job->none_left = job->ended && collect(-1, NULL);
  take(job->err, job->said, sizeof job->said);
  take(job->out, job->printed, sizeof job->printed);
}

static CHECK_UNUSED int exit_code(const struct job *job) {
  return WIFEXITED(job->status) ? WEXITSTATUS(job->status) : 128 + WTERMSIG(job->status);
}

static CHECK_UNUSED int lines_of(const char *text) {
  int n = 0;
  for (; *text; text++) n += *text == '\n';
  return n;
}

/* Ends processes that a job has left: the children of this process, and theirs once they are orphans. */
static void end_the_rest(void) {
  const double late = now() + LIMIT_S;
  while (now() < late && !(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD)) {
    DIR *all = opendir("/proc");
    struct dirent *entry;
    while (all && (entry = readdir(all))) {
      char path[300], name[64];
      int parent = 0;
      FILE *file;
      snprintf(path, sizeof path, "/proc/%s/stat", entry->d_name);
      if (atoi(entry->d_name) <= 0 || !(file = fopen(path, "r"))) continue;
      if (fscanf(file, "%*d (%63[^)]) %*c %d", name, &parent) == 2 && parent == (int)getpid()) kill(atoi(entry->d_name), SIGKILL);
      fclose(file);
    }
    if (all) closedir(all);
    nap(0.005);
  }
}

/* Prints an error of a job. */
static CHECK_UNUSED void wrong(const struct job *job, const char *what) {
  fprintf(stderr, "ERROR: %s: %s, code %d\n%s", what,
          !job->ended ? "does not end" : !job->none_left ? "processes are left" : "ended otherwise", exit_code(job), job->said);
  end_the_rest();
}

static void all_ok(const char *ranks) {
  int rank;
  for (rank = 0; rank < atoi(ranks); rank++) printf("ok %d\n", rank);
  exit(0);
}
