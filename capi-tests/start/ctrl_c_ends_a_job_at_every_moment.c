// Ctrl-C at every millisecond of a job's start ends the job with code 130 and at most one line, and leaves no process.
// ranks: 4
// modes: par seq
// once: yes
// time: 900
// env: PROGRAM=$exe
// wrap: $exe drive
/* `drive COMMAND...` runs COMMAND as a job again and again, and sends SIGINT to the job's process group, as a terminal does on
   Ctrl-C: after 0 ms, 1 ms, and so on up to $UP_TO (60), $ROUNDS (1) times. A udp job is started in every way. `ssh HOST LINE`
   imitates ssh: Ctrl-C ends it, and processes that it has started on other hosts continue until they detect that. */
#include "check.h"
#include "drive.h"

static int jobs, bad;

/* Whether the job's output is allowed. */
static int is_silent_or_caught(const char *said) {
  const char *start = "*** Caught a signal (", *tail = "): SIGINT(2)\n";
  const size_t len = strlen(said);
  if (!len) return 1;
  return lines_of(said) == 1 && !strncmp(said, start, strlen(start)) && len > strlen(tail) && !strcmp(said + len - strlen(tail), tail);
}

static void each(const char *way, int step, char **command) {
  const char *text = getenv("UP_TO");
  const int up_to = text ? atoi(text) : 60;
  int ms;
  for (ms = 0; ms <= up_to; ms += step) {
    const double at = now() + 1e-3 * ms;
    struct job job = begin(command);
    while (now() < at) nap(at - now());
    kill(-job.pid, SIGINT);
    finish(&job);
    jobs++;
    if (!job.none_left || exit_code(&job) != 130 || !is_silent_or_caught(job.said)) {
      char what[64];
      bad++;
      snprintf(what, sizeof what, "%s, Ctrl-C after %d ms", way, ms);
      wrong(&job, what);
    }
  }
}

static void drive(char **command) {
  const char *conduit = getenv("CONDUIT"), *rounds = getenv("ROUNDS"), *ranks = getenv("RANKS");
  char *alone[] = {getenv("PROGRAM"), (char *)(uintptr_t)ranks, NULL}, ssh[4200];
  int round;
  if (!conduit || !ranks || !alone[0]) exit(95);
  adopt();
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
  if (!bad) all_ok(ranks);
  fprintf(stderr, "ERROR: %d of %d jobs\n", bad, jobs);
  exit(1);
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
