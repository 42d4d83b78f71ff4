// A Medium of 1 KiB or more that was assembled in the library's buffer is not copied: its handler runs on that very memory.
// ranks: 1 2
#include "check_ex.h"

static volatile int hits;
static gex_Rank_t together; /* ranks that share memory with this one */
static int forked;          /* by one process, so that memory has the same address in all */
static void h(gex_Token_t t, void *b, size_t n, gex_AM_Arg_t high, gex_AM_Arg_t low) {
  void *there = (void *)((uintptr_t)(uint32_t)high << 32 | (uint32_t)low);
  (void)t;
  CHECK(filled(b, n, 3));
  if (forked && together == nranks) CHECK(b == there);
  hits++;
}

int main(int argc, char **argv) {
  static gex_AM_Entry_t table[] = { CHECK_AM(200, h, MEDIUM, REQUEST, 2) };
  size_t size;
  int sent = 0;
  forked = !getenv("GASNET_BOOTSTRAP") && !getenv("PMI_FD");
  check_start(&argc, &argv, table, 1, KiB(64));
  gex_System_QueryNbrhdInfo(NULL, &together, NULL);
  for (size = 1024; size <= gex_AM_LUBRequestMedium() && size <= KiB(64); size += 1000, sent++) {
    gex_AM_SrcDesc_t sd = gex_AM_PrepareRequestMedium(world, next_rank(), NULL, size, size, NULL, 0, 2);
    uintptr_t at = (uintptr_t)gex_AM_SrcDescAddr(sd);
    CHECK_EQ(gex_AM_SrcDescSize(sd), size);
    fill((void *)at, size, 3);
    gex_AM_CommitRequestMedium2(sd, 200, size, (gex_AM_Arg_t)(at >> 32), (gex_AM_Arg_t)at);
  }
  GASNET_BLOCKUNTIL(hits == sent);
  return check_end();
}
