// A put or get of memory that the target has not, or not for that, ends the job with a line that names call, rank and address.
// ranks: 2
// modes: par
// once: yes
// cflags: -DGASNET_SEGMENT_EVERYTHING -D_GNU_SOURCE
// env: GASNET_SUPERNODE_MAXSIZE=0
// every case: exit 134
// case put: stderr /gasnet_put_bulk: address 0x40 of rank 1: nothing is mapped there/
// case get: stderr /gasnet_get: address 0x123456000 of rank 1: nothing is mapped there/
// case end: stderr /gasnet_put_nbi_bulk: address 0x[0-9a-f]*000 of rank 1: nothing is mapped there/
// case memset: stderr /gasnet_memset: address 0x40 of rank 1: nothing is mapped there/
// case value: stderr /gasnet_get_val: address 0x40 of rank 1: nothing is mapped there/
// case constant: stderr /gasnet_put_bulk: address 0x[0-9a-f]* of rank 1: memory that is not writable .r--p .*there/
// case guarded: stderr /gasnet_get: address 0x[0-9a-f]* of rank 1: memory that is not readable .---p.* there/
// case long: stderr /AMRequestLong: address 0x40 of rank 1: nothing is mapped there/
// case strided: stderr /gasnet_puts_bulk: address 0x40 of rank 1: nothing is mapped there/
// case local: stderr /gasnet_put: the local address 0x40: nothing is mapped/
// needs: [ -z "$LAUNCH" ] && [ -z "${GASNET_UDP_LOCAL_HOSTS:-}" ] && { [ ! -e /proc/sys/kernel/yama/ptrace_scope ] || [ $(cat /proc/sys/kernel/yama/ptrace_scope) -lt 2 ]; }
#include "check.h"
#include <gasnet_vis.h>
#include <sys/mman.h>

static const char constant[64] = "never written";
static char source[100000];
static void nop(gasnet_token_t t, void *b, size_t n) { (void)t, (void)b, (void)n; }

int main(int argc, char **argv) {
  gasnet_handlerentry_t table[] = { HANDLER(200, nop) };
  char *mapped, *volatile low = (char *)0x40;
  const char *what = argc > 1 ? argv[1] : "";
  check_start(&argc, &argv, table, 1, 0);
  /* Nothing after it, in all ranks at the same place: they are forks of one process. */
  mapped = (char *)mmap(NULL, 3 * 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  MUST(mapped != (char *)MAP_FAILED);
  munmap(mapped + 65536, 65536);
  mprotect(mapped + 2 * 65536, 65536, PROT_NONE);
  barrier();
  if (me == 0) {
    if (!strcmp(what, "put")) gasnet_put_bulk(1, low, source, 8);
    if (!strcmp(what, "get")) gasnet_get(source, 1, low + 0x123455fc0, 8);
    if (!strcmp(what, "end")) gasnet_put_nbi_bulk(1, mapped, source, 65537);
    if (!strcmp(what, "memset")) gasnet_memset(1, low, 1, 10);
    if (!strcmp(what, "value")) (void)gasnet_get_val(1, low, 4);
    if (!strcmp(what, "constant")) gasnet_put_bulk(1, (void *)(uintptr_t)constant, source, 64);
    if (!strcmp(what, "guarded")) gasnet_get(source, 1, mapped + 2 * 65536, 64);
    if (!strcmp(what, "long")) gasnet_AMRequestLong0(1, 200, source, 8, low);
    if (!strcmp(what, "strided")) {
      size_t strides[1] = { 400 }, counts[2] = { 300, 5 };
      gasnet_puts_bulk(1, low, strides, source, strides, counts, 1);
    }
    if (!strcmp(what, "local")) gasnet_put(1, source, low, 8);
    fprintf(stderr, "ERROR: nobody objected to: %s\n", what);
    gasnet_exit(3);
  }
  for (;;) gasnet_AMPoll();
}
