// Where a security policy forbids ranks to reach each other's memory, from the start or from some time on, puts, gets, memsets and Longs go by messages.
// (Not on mpi: UCX, below MPICH, ends the process where CMA is refused to it.)
// ranks: 2 3
// modes: par
// once: yes
// cflags: -DGASNET_SEGMENT_EVERYTHING -fno-pie -no-pie -D_GNU_SOURCE
// needs: cc -x c -fsyntax-only -include linux/seccomp.h -include linux/filter.h /dev/null && test "${GASNET_CONDUIT-}" != mpi
// case start:
// case later:
#include "check.h"
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#define tell_areas gasnet_put_bulk
#include "areas.h"

static volatile int hits;
static int reached;
static void on_long(gasnet_token_t t, void *buf, size_t n) {
  gasnet_node_t from;
  CHECK(gasnet_AMGetMsgSource(t, &from) == GASNET_OK);
  CHECK((char *)buf == area[me][2] && filled(buf, n, from + 9));
  hits++;
}

static void forbid(void) {
  struct sock_filter rules[] = {
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 1, 0),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_writev, 0, 1),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = { COUNT_OF(rules), rules };
  struct iovec none = { NULL, 0 };
  MUST(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
  MUST(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0);
  MUST(process_vm_readv(getpid(), &none, 1, &none, 1, 0) == -1 && errno == EPERM);
}

static void reach(gasnet_node_t to) {
  static char source[AREA], back[AREA];
  /* The peer that is ahead may have sent its Long during the barrier before this. */
  int a, goal = ++reached;
  for (a = 0; a < AREAS; a++) {
    fill(source, AREA, me + (unsigned)a);
    gasnet_put_bulk(to, area[to][a], source, AREA);
    gasnet_get_bulk(back, to, area[to][a], AREA);
    CHECK(filled(back, AREA, me + (unsigned)a));
    gasnet_memset(to, area[to][a], a, AREA);
    CHECK(gasnet_get_val(to, area[to][a] + 5, 2) == (unsigned)(a * 257));
  }
  fill(source, 50000, me + 9);
  CHECK(gasnet_AMRequestLong0(to, 200, source, 50000, area[to][2]) == GASNET_OK);
  GASNET_BLOCKUNTIL(hits >= goal);
  barrier();
}

int main(int argc, char **argv) {
  gasnet_handlerentry_t table[] = { HANDLER(200, on_long) };
  char stack[AREA];
  int later = argc > 1 && strcmp(argv[1], "later") == 0;
  if (!later) forbid();
  check_start(&argc, &argv, table, 1, 0);
  find_areas(stack);
  reach(next_rank());
  if (later) forbid();
  reach(next_rank());
  reach(prev_rank());
  CHECK_EQ(hits, reached); /* all have met since the last Long was handled */
  return check_end();
}
