// Every built-in type with each of its operations, reduce to every root and allreduce, in place and not, agrees with a serial loop.
#include "check_ex.h"
#include <gasnet_coll.h>

#define MOST 3000

#define ONE(TYPE, DT, OP, EXPR)                                                                              \
  do {                                                                                                       \
    static TYPE src[MOST], dst[MOST], want[MOST];                                                            \
    int c, i;                                                                                                \
    gex_Rank_t r, root;                                                                                      \
    for (c = 0; c < COUNT_OF(counts); c++) {                                                                 \
      int n = counts[c];                                                                                     \
      for (i = 0; i < n; i++) {                                                                              \
        TYPE a = (TYPE)((i % 5) + 1), b;                                                                     \
        for (r = 1; r < nranks; r++) { b = (TYPE)((i * (int)(r + 1)) % 5 + (int)r + 1); a = (TYPE)(EXPR); }    \
        want[i] = a;                                                                                         \
      }                                                                                                      \
      for (root = 0; root <= nranks; root++) {                                                               \
        int in_place = ((int)root + c) & 1, mine = root == me || root == nranks;                              \
        TYPE *to = in_place ? src : dst;                                                                     \
        for (i = 0; i < n; i++) src[i] = (TYPE)(me ? (i * (int)(me + 1)) % 5 + (int)me + 1 : (i % 5) + 1);    \
        memset(dst, 0x5a, sizeof dst);                                                                       \
        gex_Event_Wait(root == nranks                                                                        \
          ? gex_Coll_ReduceToAllNB(world, to, src, DT, sizeof(TYPE), (size_t)n, OP, NULL, NULL, 0)            \
          : gex_Coll_ReduceToOneNB(world, root, mine ? to : NULL, src, DT, sizeof(TYPE), (size_t)n, OP, NULL, NULL, 0)); \
        if (mine) CHECK(memcmp(to, want, (size_t)n * sizeof(TYPE)) == 0);                                    \
        else CHECK(all_bytes(dst, sizeof dst, 0x5a));                                                        \
      }                                                                                                      \
    }                                                                                                        \
  } while (0)

#define FOUR(TYPE, DT)                                 \
  ONE(TYPE, DT, GEX_OP_ADD, a + b);                    \
  ONE(TYPE, DT, GEX_OP_MULT, a * b);                   \
  ONE(TYPE, DT, GEX_OP_MIN, a < b ? a : b);            \
  ONE(TYPE, DT, GEX_OP_MAX, a > b ? a : b)
#define SEVEN(TYPE, DT)                                \
  FOUR(TYPE, DT);                                      \
  ONE(TYPE, DT, GEX_OP_AND, a & b);                    \
  ONE(TYPE, DT, GEX_OP_OR, a | b);                     \
  ONE(TYPE, DT, GEX_OP_XOR, a ^ b)

static const int counts[] = { 1, 3, 16, 100, MOST };

int main(int argc, char **argv) {
  check_start(&argc, &argv, NULL, 0, KiB(64));
  SEVEN(int32_t, GEX_DT_I32);
  SEVEN(uint32_t, GEX_DT_U32);
  SEVEN(int64_t, GEX_DT_I64);
  SEVEN(uint64_t, GEX_DT_U64);
  FOUR(float, GEX_DT_FLT);
  FOUR(double, GEX_DT_DBL);
  return check_end();
}
