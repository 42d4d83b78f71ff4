// Where the kernel tells no affinity mask (as to programs with a set too small for its processors) and gives random
// numbers by its device alone, jobs start and work.
// ranks: 2 3
// modes: par seq
// once: yes
#include "check.h"
#include <gasnet_tools.h>

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

static void forbid(void) {
  struct sock_filter rules[] = {
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_sched_getaffinity, 2, 0),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getrandom, 2, 0),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EINVAL),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
  };
  struct sock_fprog program = {sizeof rules / sizeof *rules, rules};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  MUST(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0);
}

int main(int argc, char **argv) {
  uint64_t word = 1;
  forbid();
  check_start(&argc, &argv, NULL, 0, KiB(64));
  CHECK(gasnett_cpu_count() > 0);
  gasnet_put_bulk(next_rank(), seg(next_rank()), &word, 8);
  barrier();
  CHECK_EQ(*(uint64_t *)seg(me), 1);
  return check_end();
}
