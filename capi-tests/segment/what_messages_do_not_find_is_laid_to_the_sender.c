// Where messages do a put or get of memory that the target has not, the line about its end is followed by one that names the rank that asked, and the address.
// ranks: 2
// modes: par
// once: yes
// cflags: -DGASNET_SEGMENT_EVERYTHING -D_GNU_SOURCE -fno-pie -no-pie
// env: GASNET_RMA=am
// every case: exit nonzero; stderr /Caught a fatal signal .proc 1.: SIGSEGV/
// case put: stderr /.proc 1. rank 0 puts to address 0x40 of this process/
// case get: stderr /.proc 1. rank 0 gets from address 0x123456000 of this process/
// case memset: stderr /.proc 1. rank 0 sets address 0x40 of this process/
// case constant: stderr /.proc 1. rank 0 puts to address 0x[0-9a-f]* of this process/
// case guarded: stderr /.proc 1. rank 0 gets from address 0x[0-9a-f]* of this process/
// case long: stderr /.proc 1. (rank 0|another rank) sends.* (to|at) address 0x40 of this process/
// case strided: stderr /.proc 1. rank 0 puts to address 0x[0-9a-f]* of this process/
#include "check.h"
#include <gasnet_vis.h>
#include <sys/mman.h>

static const char constant[64] = "never written";
static char source[100000];
static char *volatile of_1; /* rank 1's `mapped`: rank 0 may have another */
static void is_mapped(gasnet_token_t t, gasnet_handlerarg_t high, gasnet_handlerarg_t low) {
  (void)t;
  of_1 = (char *)(uintptr_t)((uint64_t)(uint32_t)high << 32 | (uint32_t)low);
}
static void nop(gasnet_token_t t, void *b, size_t n) { (void)t, (void)b, (void)n; }

int main(int argc, char **argv) {
  gasnet_handlerentry_t table[] = { HANDLER(200, nop), HANDLER(201, is_mapped) };
  char *mapped, *volatile low = (char *)0x40;
  const char *what = argc > 1 ? argv[1] : "";
  check_start(&argc, &argv, table, 2, 0);
  /* Nothing after it. */
  mapped = (char *)mmap(NULL, 3 * 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  MUST(mapped != (char *)MAP_FAILED);
  munmap(mapped + 65536, 65536);
  mprotect(mapped + 2 * 65536, 65536, PROT_NONE);
  barrier();
  if (me == 1) CHECK(gasnet_AMRequestShort2(0, 201, (gasnet_handlerarg_t)((uint64_t)(uintptr_t)mapped >> 32), (gasnet_handlerarg_t)(uintptr_t)mapped) == GASNET_OK);
  if (me == 0) {
    GASNET_BLOCKUNTIL(of_1 != NULL);
    if (!strcmp(what, "put")) gasnet_put_bulk(1, low, source, 8);
    if (!strcmp(what, "get")) gasnet_get(source, 1, low + 0x123455fc0, 8);
    if (!strcmp(what, "end")) gasnet_put_nbi_bulk(1, of_1, source, 65537);
    if (!strcmp(what, "memset")) gasnet_memset(1, low, 1, 10);
    if (!strcmp(what, "value")) (void)gasnet_get_val(1, low, 4);
    if (!strcmp(what, "constant")) gasnet_put_bulk(1, (void *)(uintptr_t)constant, source, 64);
    if (!strcmp(what, "guarded")) gasnet_get(source, 1, of_1 + 2 * 65536, 64);
    if (!strcmp(what, "long")) {
      gasnet_AMRequestLong0(1, 200, source, 8, low);
      for (;;) gasnet_AMPoll(); /* it is on its way: the target ends the job, or the watchdog does */
    }
    if (!strcmp(what, "strided")) {
      size_t strides[1] = { 100 }, counts[2] = { 10, 5 };
      gasnet_puts_bulk(1, low, strides, source, strides, counts, 1);
    }
    if (!strcmp(what, "local")) gasnet_put(1, source, low, 8);
    fprintf(stderr, "ERROR: nobody objected to: %s\n", what);
    gasnet_exit(3);
  }
  for (;;) gasnet_AMPoll();
}
