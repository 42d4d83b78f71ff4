// Ctrl-C at every millisecond of a job's start ends the job with code 130 and at most one line, and leaves no process.
// ranks: 4
// modes: par seq
// once: yes
// time: 900
// env: PROGRAM=$exe
// wrap: $exe drive
/* `drive COMMAND...` runs COMMAND as a job again and again, and sends SIGINT to the job's process group, as a terminal does on
   Ctrl-C: after 0 ms, 1 ms, and so on up to $UP_TO (60), $ROUNDS (1) times. A udp job is started in every way. `ssh HOST LINE` stands
   for ssh as the network shows it: Ctrl-C ends it, and what it has started elsewhere runs on until it finds out. */
#include "check.h"
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

#define LIMIT_S 30
static const char *errors;
static int jobs, bad;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void nap(double seconds) {
  struct timespec t = {(time_t)seconds, (long)(1e9 * (seconds - (double)(time_t)seconds))};
  nanosleep(&t, NULL);
}

/* Whether what the job said is what it may say. */
static int is_silent_or_caught(const char *said) {
  const char *end = strchr(said, '\n'), *tail = "): SIGINT(2)\n";
  if (!*said) return 1;
  return end && !end[1] && !strncmp(said, "*** Caught a signal (", 21) && strlen(said) > strlen(tail) &&
         !strcmp(end + 1 - strlen(tail), tail);
}

/* Collects descendants until `pid` has ended, and its status is known, or until none is left (`pid` -1). 0: too late. */
static int collect(pid_t pid, int *status) {
  const double late = now() + LIMIT_S;
  while (now() < late) {
    int got;
    pid_t ended = waitpid(-1, &got, WNOHANG);
    if (ended == pid && ended > 0) return *status = got, 1;
    if (ended < 0 && errno == ECHILD) return pid < 0;
    if (ended == 0) nap(0.001);
  }
  return 0;
}

static void one(const char *way, int ms, char **command) {
  char said[4096] = "";
  const double start = now();
  int status = 0, ended, none_left, fd;
  ssize_t n;
  pid_t pid = fork();
  if (pid == 0) {
    const int out = open("/dev/null", O_RDWR), err = open(errors, O_CREAT | O_TRUNC | O_RDWR, 0600);
    setpgid(0, 0);
    if (dup2(out, 0) < 0 || dup2(out, 1) < 0 || dup2(err, 2) < 0) _exit(96);
    execvp(command[0], command);
    _exit(97);
  }
  setpgid(pid, pid);
  while (now() < start + 1e-3 * ms) nap(start + 1e-3 * ms - now());
  kill(-pid, SIGINT);
  ended = collect(pid, &status);
  none_left = ended && collect(-1, NULL);
  fd = open(errors, O_RDONLY);
  n = fd < 0 ? 0 : read(fd, said, sizeof said - 1);
  said[n > 0 ? n : 0] = 0;
  close(fd);
  unlink(errors);
  jobs++;
  if (none_left && ((WIFEXITED(status) && WEXITSTATUS(status) == 130) || (WIFSIGNALED(status) && WTERMSIG(status) == SIGINT)) &&
      is_silent_or_caught(said))
    return;
  bad++;
  fprintf(stderr, "ERROR: %s, Ctrl-C after %d ms: %s, status %#x\n%s", way, ms,
          !ended ? "does not end" : !none_left ? "processes are left" : "ended otherwise", (unsigned)status, said);
  if (!none_left) exit(1); /* the runner ends what is left */
}

static void each(const char *way, int step, char **command) {
  const char *text = getenv("UP_TO");
  const int up_to = text ? atoi(text) : 60;
  int ms;
  for (ms = 0; ms <= up_to; ms += step) one(way, ms, command);
}

static void drive(char **command) {
  const char *conduit = getenv("CONDUIT"), *rounds = getenv("ROUNDS"), *ranks = getenv("RANKS");
  char file[64], ssh[4200];
  char *alone[] = {getenv("PROGRAM"), (char *)(uintptr_t)ranks, NULL};
  int round, rank;
  if (!conduit || !ranks || !alone[0]) exit(95);
  snprintf(file, sizeof file, "/tmp/gasnet-ctrl-c-%d", (int)getpid());
  errors = file;
  prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  for (round = 0; round < (rounds ? atoi(rounds) : 1); round++) {
    if (strcmp(conduit, "udp")) {
      each("smp", 1, command);
      continue;
    }
    setenv("GASNET_UDP_LOCAL_HOSTS", "2", 1);
    each("local", 1, command);
    each("by itself", 4, alone);
    setenv("GASNET_CSPAWN_CMD", "exec 3<&0; for i in $(seq %N); do %C <&3 & done; wait", 1);
    each("command", 2, command);
    unsetenv("GASNET_CSPAWN_CMD");
    snprintf(ssh, sizeof ssh, "'%s' ssh", alone[0]);
    setenv("GASNET_SSH_CMD", ssh, 1);
    setenv("GASNET_SSH_SERVERS", "localhost,127.0.0.1", 1);
    each("ssh", 2, command);
    unsetenv("GASNET_SSH_SERVERS");
  }
  if (bad) {
    fprintf(stderr, "ERROR: %d of %d jobs\n", bad, jobs);
    exit(1);
  }
  for (rank = 0; rank < atoi(ranks); rank++) printf("ok %d\n", rank);
  exit(0);
}

static void ssh(const char *line) {
  int status;
  pid_t pid = fork();
  if (pid == 0) {
    setsid();
    execl("/bin/sh", "sh", "-c", line, (char *)NULL);
    _exit(97);
  }
  while (waitpid(pid, &status, 0) < 0) {}
  exit(WIFEXITED(status) ? WEXITSTATUS(status) : 255);
}

int main(int argc, char **argv) {
  if (argc > 1 && !strcmp(argv[1], "drive")) drive(argv + 2);
  if (argc > 3 && !strcmp(argv[1], "ssh")) ssh(argv[3]);
  check_start(&argc, &argv, NULL, 0, KiB(64));
  for (;;) {
    gasnet_AMPoll();
    usleep(1000);
  }
}
