// While separately started processes meet, other processes may connect to their socket, send nothing or anything, and stay
// connected: they do not become part of the job, and do not delay it. A second rank 0 of the same job ends with an error.
// ranks: 3
// modes: par seq
// once: yes
// env: PROGRAM=$exe
// wrap: $exe drive
#include "ranks.h"
#include <stddef.h>
#include <sys/socket.h>
#include <sys/un.h>

/* Connects to every abstract socket of the library on this machine, also of other jobs; returns their number. */
static int disturb(const char *bytes, size_t len) {
  char line[400];
  int n = 0;
  FILE *names = fopen("/proc/net/unix", "r");
  while (names && fgets(line, sizeof line, names)) {
    const char *name = strstr(line, "@gasnet-");
    struct sockaddr_un to = {AF_UNIX, ""};
    int fd;
    if (!name) continue;
    name += 1, line[strcspn(line, "\n")] = 0;
    memcpy(to.sun_path + 1, name, strlen(name));
    fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (connect(fd, (struct sockaddr *)&to, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(name)))) {
      close(fd);
      continue;
    }
    n++;
    if (len && send(fd, bytes, len, MSG_NOSIGNAL) < 0) perror("ERROR: send");
    /* Stays open. */
  }
  if (names) fclose(names);
  return n;
}

static void drive(void) {
  char *command[] = {getenv("PROGRAM"), NULL}, hello[1 + 24 + 32] = {1, 1}, huge[30000] = {1};
  const double late = now() + LIMIT_S;
  struct ranks job, second;
  int rank, met = 0;
  adopt();
  job = new_job(3);
  start_rank(&job, 0, command, NULL);
  while (!(met = disturb("", 0)) && now() < late) nap(0.002);
  hello[1 + 8] = 3;
  if (!met || !disturb(hello, sizeof hello) || !disturb("x", 1) || !disturb(huge, sizeof huge)) fprintf(stderr, "ERROR: nobody listens\n");
  second = job;
  start_rank(&second, 0, command, NULL);
  while (waitpid(second.pid[0], &second.status[0], 0) < 0 && errno == EINTR) {}
  for (rank = 1; rank < 3; rank++) start_rank(&job, rank, command, NULL);
  finish_ranks(&job);
  if (all_ended_with(&job, 0) && code_of(&second, 0) == 1 && lines_of(job.said) == 1 && strstr(job.said, "another process of this host is rank 0") &&
      lines_of(job.printed) == 3)
    all_ok(getenv("RANKS"));
  wrong_ranks(&job, "disturbed");
  exit(1);
}

int main(int argc, char **argv) {
  if (argc > 1 && !strcmp(argv[1], "drive")) drive();
  check_start(&argc, &argv, NULL, 0, KiB(64));
  return check_end();
}
