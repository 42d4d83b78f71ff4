/* forbid ERRNO NAME... -- COMMAND...: runs COMMAND where the kernel refuses the named services with ERRNO (EPERM, ENOSYS, EACCES), to it and
   to all its descendants, as a container's filter of system calls does. A NAME is a system call, or one of those below. */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef PR_SET_PTRACER
#define PR_SET_PTRACER 0x59616d61
#endif

static const struct rule { const char *name; unsigned call; int has_first; unsigned first; } rules[] = {
#define CALL(name) { #name, SYS_##name, 0, 0 },
  CALL(memfd_create) CALL(pidfd_open) CALL(pidfd_getfd) CALL(pidfd_send_signal) CALL(membarrier) CALL(userfaultfd)
  CALL(process_vm_readv) CALL(process_vm_writev) CALL(sched_setaffinity) CALL(sched_getaffinity) CALL(perf_event_open)
  CALL(io_uring_setup) CALL(io_uring_enter) CALL(io_uring_register) CALL(clone3) CALL(statx) CALL(rseq) CALL(set_robust_list)
  CALL(mbind) CALL(set_mempolicy) CALL(get_mempolicy) CALL(move_pages) CALL(timerfd_create) CALL(signalfd4) CALL(eventfd2) CALL(close_range)
  CALL(timer_create) CALL(getrandom) CALL(recvmmsg) CALL(sendmmsg) CALL(madvise) CALL(mlock) CALL(sched_yield) CALL(shmget)
  CALL(personality) CALL(ptrace) CALL(kcmp) CALL(setpgid) CALL(sysinfo) CALL(uname) CALL(epoll_pwait2) CALL(openat2) CALL(faccessat2)
  { "ptracer", SYS_prctl, 1, PR_SET_PTRACER },
  { "pdeathsig", SYS_prctl, 1, PR_SET_PDEATHSIG },
  { "subreaper", SYS_prctl, 1, PR_SET_CHILD_SUBREAPER },
  { "thread-name", SYS_prctl, 1, PR_SET_NAME },
  { "netlink", SYS_socket, 1, AF_NETLINK },
  { "raw", SYS_socket, 1, AF_PACKET },
};
#define RULES (sizeof rules / sizeof *rules)

static struct sock_filter code[7 * RULES + 2];
static unsigned short length;

static void add(unsigned short op, unsigned value, unsigned char yes, unsigned char no) {
  code[length++] = (struct sock_filter)BPF_JUMP(op, value, yes, no);
}
static void load(size_t at) { add(BPF_LD | BPF_W | BPF_ABS, (unsigned)at, 0, 0); }

static void forbid(const struct rule *rule, unsigned error) {
  add(BPF_JMP | BPF_JEQ | BPF_K, rule->call, 0, rule->has_first ? 4 : 1);
  if (rule->has_first) {
    load(offsetof(struct seccomp_data, args[0])); /* the lower half, on a little-endian machine */
    add(BPF_JMP | BPF_JEQ | BPF_K, rule->first, 0, 1);
  }
  add(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error, 0, 0);
  if (rule->has_first) load(offsetof(struct seccomp_data, nr));
}

int main(int argc, char **argv) {
  static const struct { const char *name; unsigned number; } errors[] = { { "EPERM", EPERM }, { "ENOSYS", ENOSYS }, { "EACCES", EACCES } };
  struct sock_fprog program = { 0, code };
  unsigned error = 0, i;
  int at = 2;
  for (i = 0; i < 3; i++)
    if (argc > 2 && !strcmp(argv[1], errors[i].name)) error = errors[i].number;
  if (!error) return fprintf(stderr, "usage: forbid EPERM|ENOSYS|EACCES NAME... -- COMMAND...\n"), 2;
  load(offsetof(struct seccomp_data, nr));
  for (; at < argc && strcmp(argv[at], "--"); at++) {
    for (i = 0; i < RULES && strcmp(rules[i].name, argv[at]); i++) continue;
    if (i == RULES) return fprintf(stderr, "forbid: %s is unknown\n", argv[at]), 2;
    if (length + 7u > sizeof code / sizeof *code) return 2;
    forbid(&rules[i], error);
  }
  add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
  program.len = length;
  if (at + 1 >= argc) return fprintf(stderr, "forbid: no command\n"), 2;
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) return perror("forbid: seccomp"), 2;
  execvp(argv[at + 1], argv + at + 1);
  return perror(argv[at + 1]), 127;
}
