// 24 MiB in pieces of 24 bytes by lists, and in rows by strides, several at once, arrive whole; the library keeps no copy of lists or data meanwhile.
// ranks: 1 2
// time: 120
#include "vis.h"
#include <sys/resource.h>

enum { PIECE = 24, N = 1 << 20 };
static long resident_kib(void) {
  struct rusage use;
  getrusage(RUSAGE_SELF, &use);
  return use.ru_maxrss;
}
int main(int argc, char **argv) {
  size_t i;
  char *source, *far, *back;
  void **there, **here;
  gex_Memvec_t all;
  gex_Event_t e[2];
  size_t count[2] = { N / 1024, 1024 };
  ptrdiff_t gaps[2] = { PIECE + 8, (PIECE + 8) * (N / 1024) }, packed[2] = { PIECE, PIECE * (N / 1024) };
  long before;
  vis_start(&argc, &argv, NULL, 0, 2 * (uintptr_t)N * (PIECE + 8));
  far = seg(next_rank());
  source = (char *)malloc((size_t)N * PIECE), back = (char *)malloc((size_t)N * PIECE);
  there = (void **)malloc(N * sizeof(void *)), here = (void **)malloc(N * sizeof(void *));
  fill(source, (size_t)N * PIECE, me + 1), memset(back, 1, (size_t)N * PIECE);
  memset(seg(me), 0, seg_size(me));
  barrier();
  for (i = 0; i < N; i++) {
    size_t k = (i * 7919u) % N; /* another order than that of memory */
    there[i] = far + k * (PIECE + 8), here[i] = source + k * PIECE;
  }
  before = resident_kib();
  e[0] = gex_VIS_IndexedPutNB(tm, next_rank(), N, there, PIECE, N, here, PIECE, 0);
  e[1] = gex_VIS_StridedPutNB(tm, next_rank(), far + (size_t)N * (PIECE + 8), gaps, source, packed, PIECE, count, 2, 0);
  gex_Event_WaitAll(e, 2, 0);
  all.gex_addr = back, all.gex_len = (size_t)N * PIECE;
  gex_VIS_IndexedGetBlocking(tm, 1, &all.gex_addr, all.gex_len, next_rank(), N, there, PIECE, 0);
  for (i = 0; i < N; i += 1 + i / 64) CHECK(memcmp(back + i * PIECE, here[i], PIECE) == 0);
  memset(back, 1, (size_t)N * PIECE);
  gex_VIS_StridedGetBlocking(tm, back, packed, next_rank(), far + (size_t)N * (PIECE + 8), gaps, PIECE, count, 2, 0);
  CHECK(memcmp(back, source, (size_t)N * PIECE) == 0);
  if (resident_kib() - before > 96 << 10) CHECK_EQ(resident_kib() - before, 0);
  barrier();
  for (i = 0; i < N; i += 511) CHECK(all_bytes(seg(me) + i * (PIECE + 8) + PIECE, 8, 0));
  return check_end();
}
