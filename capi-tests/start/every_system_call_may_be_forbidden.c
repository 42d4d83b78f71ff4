// If a filter forbids a system call that a job makes, the job works nevertheless, with at most one warning, or ends with one
// line that names the failed operation and the reason. Each call is forbidden in turn.
// ranks: 3
// modes: par seq
// once: yes
// time: 900
// env: PROGRAM=$exe
// wrap: $exe drive
/* `drive COMMAND...` runs COMMAND as a job with FORBID=CALL in its environment, for each CALL of calls.h or for $CALLS, with each of
   $ERRNOS (1, EPERM): in a udp job first in the ranks only, then also in the process that starts them and in all its children. */
#include "check.h"
#include "drive.h"
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/syscall.h>

static const struct { const char *name; int number, master, with_address; } calls[] = {
#define MASTER(name) { #name, SYS_##name, 1, 0 },
#define RANKS(name) { #name, SYS_##name, 0, 0 },
#define DATAGRAMS(name) { #name ":address", SYS_##name, 0, 1 },
#include "calls.h"
};

static int bad;

/* FORBID is "CALL ERRNO WHERE"; WHERE is "all" or "ranks". `starts_ranks`: the process has the number of ranks to start as an argument. */
static void obey(const char *text, int starts_ranks) {
  char name[64], where[16];
  unsigned error, at = 0;
  if (sscanf(text, "%63s %u %15s", name, &error, where) != 3) exit(97);
  if (starts_ranks && strcmp(where, "all")) return;
  while (strcmp(calls[at].name, name))
    if (++at == COUNT_OF(calls)) exit(98);
  struct sock_filter rules[] = {
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)calls[at].number, 0, 3),
    /* The fifth argument is the address (its lower half), if the rule is about addresses. */
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[4])),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, (uint8_t)calls[at].with_address, 0),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {COUNT_OF(rules), rules};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) exit(99);
}

static void one(const char *name, int error, const char *where, char **command) {
  char what[128];
  struct job job;
  int lines;
  snprintf(what, sizeof what, "%s %d %s", name, error, where);
  setenv("FORBID", what, 1);
  job = begin(command);
  finish(&job);
  lines = lines_of(job.said);
  if (job.none_left && exit_code(&job) == 0 && lines_of(job.printed) == atoi(getenv("RANKS")) && (!lines || (lines == 1 && !strncmp(job.said, "*** WARNING", 11)))) return;
  if (job.none_left && exit_code(&job) && lines == 1 && (strstr(job.said, strerror(error)) || strstr(job.said, name))) return;
  bad++;
  wrong(&job, what);
}

/* Whether `word` is one of `list`, or there is no list. */
static int wanted(const char *list, const char *word) {
  const char *at = list;
  const size_t len = strlen(word);
  if (!list) return 1;
  while ((at = strstr(at, word)) && !((at == list || at[-1] == ' ') && (at[len] == ' ' || !at[len]))) at++;
  return at != NULL;
}

static void drive(char **command) {
  const char *conduit = getenv("CONDUIT"), *ranks = getenv("RANKS"), *errnos = getenv("ERRNOS"), *some = getenv("CALLS");
  char *alone[] = {getenv("PROGRAM"), (char *)(uintptr_t)ranks, NULL}, *next;
  int at, error;
  if (!conduit || !ranks || !alone[0]) exit(95);
  adopt();
  setenv("GASNET_SUPERNODE_MAXSIZE", strcmp(conduit, "udp") ? "0" : "1", 1);
  if (!errnos) errnos = "1";
  for (error = (int)strtol(errnos, &next, 10); error; error = (int)strtol(next, &next, 10))
    for (at = 0; at < COUNT_OF(calls); at++) {
      if (!wanted(some, calls[at].name)) continue;
      one(calls[at].name, error, "ranks", command);
      if (!strcmp(conduit, "udp") && calls[at].master) one(calls[at].name, error, "all", alone);
    }
  if (!bad) all_ok(ranks);
  fprintf(stderr, "ERROR: %d jobs\n", bad);
  exit(1);
}

int main(int argc, char **argv) {
  uint64_t word = 1;
  if (argc > 1 && !strcmp(argv[1], "drive")) drive(argv + 2);
  if (getenv("FORBID")) obey(getenv("FORBID"), argc > 1);
  check_start(&argc, &argv, NULL, 0, KiB(64));
  gasnet_put_bulk(next_rank(), seg(next_rank()), &word, 8);
  barrier();
  CHECK_EQ(*(uint64_t *)seg(me), 1);
  return check_end();
}
