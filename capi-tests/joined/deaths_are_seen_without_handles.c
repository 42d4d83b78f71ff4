// If a filter forbids handles on processes (pidfd), or signals by them, the death of a rank nevertheless ends the ranks that
// were started separately, with one line that names it.
// ranks: 3
// modes: par seq
// once: yes
// env: PROGRAM=$exe
// wrap: $exe drive
#include "ranks.h"
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/syscall.h>

static unsigned forbidden;

static void own(int rank) {
  struct sock_filter rules[] = {
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, forbidden, 0, 1),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {COUNT_OF(rules), rules};
  (void)rank;
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) _exit(99);
}

static void drive(void) {
  static const unsigned calls[] = {SYS_pidfd_open, SYS_pidfd_send_signal, SYS_signalfd4, SYS_memfd_create, SYS_membarrier};
  char *command[] = {getenv("PROGRAM"), NULL};
  int at, bad = 0;
  adopt();
  for (at = 0; at < COUNT_OF(calls); at++) {
    const int victim = at % 3;
    struct ranks job = new_job(3);
    const double late = now() + LIMIT_S;
    char line[64], printed[256] = "";
    int rank;
    forbidden = calls[at];
    for (rank = 0; rank < 3; rank++) start_rank(&job, rank, command, own);
    /* All have attached. */
    while (strlen(printed) < 3 && now() < late) {
      const ssize_t n = pread(job.out, printed, sizeof printed - 1, 0);
      printed[n > 0 ? n : 0] = 0;
      nap(0.005);
    }
    kill(job.pid[victim], SIGKILL);
    finish_ranks(&job);
    snprintf(line, sizeof line, "rank %d (pid %d) on host ", victim, (int)job.pid[victim]);
    /* The cause is known if the warden could check the process before its parent reaped it. */
    for (rank = 0; rank < 3; rank++)
      if (rank != victim && code_of(&job, rank) != 137 && code_of(&job, rank) != 1) job.none_left = 0;
    if (job.none_left && lines_of(job.said) == 1 && strstr(job.said, line) &&
        (strstr(job.said, "died of SIGKILL; ending") || strstr(job.said, "died (only its parent knows how); ending")))
      continue;
    bad++;
    snprintf(line, sizeof line, "call %u forbidden, rank %d killed", forbidden, victim);
    wrong_ranks(&job, line);
  }
  if (!bad) all_ok(getenv("RANKS"));
  exit(1);
}

int main(int argc, char **argv) {
  if (argc > 1 && !strcmp(argv[1], "drive")) drive();
  check_start(&argc, &argv, NULL, 0, KiB(64));
  if (write(1, ".", 1) != 1) abort();
  for (;;) barrier();
}
