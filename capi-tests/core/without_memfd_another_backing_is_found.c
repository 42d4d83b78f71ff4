// If the kernel refuses memfd_create and /dev/shm is tiny, the default backing is one with enough space, and a line names it.
// ranks: 1 3
// once: yes
// needs: unshare -m true
// wrap: unshare -m sh -c 'mount -t tmpfs -o size=64k none /dev/shm && exec "$0" "$@"' env GASNET_VERBOSEENV=1
// expect: exit 0; stderr /shared memory for segments comes from sysv/
#include "check.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

static void refuse_memfd(void) {
  struct sock_filter rules[] = {
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_memfd_create, 0, 1),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {sizeof rules / sizeof *rules, rules};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  MUST(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0);
}

int main(int argc, char **argv) {
  refuse_memfd();
  check_start(&argc, &argv, NULL, 0, MiB(4));
  memset(seg(me), 1, MiB(4));
  barrier();
  CHECK_EQ(gasnet_get_val(next_rank(), seg(next_rank()) + MiB(4) - 1, 1), 1);
  return check_end();
}
