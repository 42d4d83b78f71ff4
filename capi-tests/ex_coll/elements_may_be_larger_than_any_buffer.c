// A user-defined type of hundreds of kilobytes is reduced whole: the operation sees whole elements only.
#include "check_ex.h"
#include <gasnet_coll.h>

#define WORDS 50001

static void add(const void *left, void *right, size_t count, const void *cdata) {
  const uint64_t *l = (const uint64_t *)left;
  uint64_t *r = (uint64_t *)right;
  size_t i, n = *(const size_t *)cdata;
  for (; count > 0; count--, l += n, r += n) {
    CHECK_EQ(l[0], 4711);
    CHECK_EQ(r[0], 4711);
    for (i = 1; i < n; i++) r[i] += l[i];
  }
}

int main(int argc, char **argv) {
  static const size_t words[] = { 100, 600, 5000, 8200, WORDS };
  int s, to;
  check_start(&argc, &argv, NULL, 0, KiB(64));
  for (s = 0; s < COUNT_OF(words); s++)
    for (to = 0; to < 2; to++) {
      size_t n = words[s], i, k, count = 3;
      uint64_t *src = (uint64_t *)malloc(n * count * 8), *dst = (uint64_t *)calloc(n * count, 8);
      for (k = 0; k < count; k++)
        for (i = 0; i < n; i++) src[k * n + i] = i ? i + k + me : 4711;
      gex_Event_Wait(to ? gex_Coll_ReduceToAllNB(world, dst, src, GEX_DT_USER, n * 8, count, GEX_OP_USER, add, &n, 0)
                        : gex_Coll_ReduceToOneNB(world, nranks - 1, dst, src, GEX_DT_USER, n * 8, count, GEX_OP_USER, add, &n, 0));
      for (k = 0; (to || me == nranks - 1) && k < count; k++)
        for (i = 1; i < n; i++)
          if (dst[k * n + i] != (i + k) * nranks + (uint64_t)nranks * (nranks - 1) / 2) { CHECK(!"sum"); break; }
      free(src), free(dst);
    }
  return check_end();
}
