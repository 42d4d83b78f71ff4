// A user operation that does not commute (joining ranges of ranks) is applied to neighbours in order only, to one and to all.
#include "check_ex.h"
#include <gasnet_coll.h>

/* A range of ranks and a checksum that depends on the order of joining nothing: only neighbours may be joined. */
struct range { uint32_t first, past; uint64_t sum; char odd[5]; };

static void join(const void *left, void *right, size_t count, const void *cdata) {
  const struct range *l = (const struct range *)left;
  struct range *r = (struct range *)right;
  size_t i;
  CHECK(cdata == (const void *)&client);
  CHECK(count > 0);
  for (i = 0; i < count; i++) {
    CHECK_EQ(l[i].past, r[i].first);
    r[i].first = l[i].first;
    r[i].sum += l[i].sum;
  }
}

int main(int argc, char **argv) {
  static const size_t counts[] = { 1, 2, 77, 5000 };
  size_t c, i;
  gex_Rank_t root;
  check_start(&argc, &argv, NULL, 0, KiB(64));
  for (c = 0; c < 4; c++)
    for (root = 0; root <= nranks; root++) {
      size_t n = counts[c];
      struct range *src = (struct range *)calloc(n, sizeof *src), *dst = (struct range *)calloc(n, sizeof *dst);
      for (i = 0; i < n; i++) src[i].first = me, src[i].past = me + 1, src[i].sum = (me + 1) * (i + 1);
      gex_Event_Wait(root == nranks
        ? gex_Coll_ReduceToAllNB(world, dst, src, GEX_DT_USER, sizeof *src, n, GEX_OP_USER_NC, join, &client, 0)
        : gex_Coll_ReduceToOneNB(world, root, dst, src, GEX_DT_USER, sizeof *src, n, GEX_OP_USER_NC, join, &client, 0));
      if (root == me || root == nranks)
        for (i = 0; i < n; i++) {
          CHECK_EQ(dst[i].first, 0);
          CHECK_EQ(dst[i].past, nranks);
          CHECK_EQ(dst[i].sum, (uint64_t)nranks * (nranks + 1) / 2 * (i + 1));
        }
      for (i = 0; i < n; i++) CHECK(src[i].first == me && src[i].past == me + 1 && src[i].sum == (me + 1) * (i + 1));
      free(src);
      free(dst);
    }
  return check_end();
}
