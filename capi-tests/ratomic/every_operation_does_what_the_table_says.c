// Every operation on every type stores and returns the values that C's rules give for its operands: at oneself and at others, explicit
// and implicit, by the inline of a constant operation, that of one known at run time only, and the symbol.
#include "domains.h"

#include <math.h>

enum { WAYS = 4 };

/* Every round is some thousand round trips of each rank: more ranks, fewer rounds. */
static int rounds(void) { return nranks < 6 ? 60 / (int)nranks : 10; }

/* The function behind the name, where there is one. */
#ifdef GASNETI_ABI_H
#define SYMBOL(name) (name)
#else
#define SYMBOL(name) name
#endif

/* The plain operation that `op` has the effect of. */
static gex_OP_t plain(gex_OP_t op) { return op == GEX_OP_GET ? op : fetches(op) ? GEX_OP_TO_NONFETCHING(op) : op; }

#define MODEL_ARITHMETIC(type, utype)                     \
  case GEX_OP_ADD: return (type)((utype)old + (utype)a);  \
  case GEX_OP_SUB: return (type)((utype)old - (utype)a);  \
  case GEX_OP_MULT: return (type)((utype)old * (utype)a); \
  case GEX_OP_INC: return (type)((utype)old + 1);         \
  case GEX_OP_DEC: return (type)((utype)old - 1);         \
  case GEX_OP_MIN: return old < a ? old : a;              \
  case GEX_OP_MAX: return old > a ? old : a;              \
  case GEX_OP_SET: return a;                              \
  case GEX_OP_CAS: return old == a ? b : old;             \
  default: return old;
#define MODEL_INTEGER(code, type, utype)                            \
  static type model_##code(gex_OP_t op, type old, type a, type b) { \
    switch (op) {                                                   \
      case GEX_OP_AND: return old & a;                              \
      case GEX_OP_OR: return old | a;                               \
      case GEX_OP_XOR: return old ^ a;                              \
        MODEL_ARITHMETIC(type, utype)                               \
    }                                                               \
  }
#define MODEL_FLOAT(code, type)                                     \
  static type model_##code(gex_OP_t op, type old, type a, type b) { \
    switch (op) { MODEL_ARITHMETIC(type, type) }                    \
  }
MODEL_INTEGER(I32, int32_t, uint32_t)
MODEL_INTEGER(U32, uint32_t, uint32_t)
MODEL_INTEGER(I64, int64_t, uint64_t)
MODEL_INTEGER(U64, uint64_t, uint64_t)
MODEL_FLOAT(FLT, float)
MODEL_FLOAT(DBL, double)

/* Numbers that meet ties, limits and zeros of both signs often. */
#define PICK_INTEGER(code, type)                                    \
  static type pick_##code(uint64_t *state) {                        \
    uint64_t r = rnd(state);                                        \
    switch (rnd(state) % 4) {                                       \
      case 0: return (type)(r % 3 - 1);                             \
      case 1: return (type)((uint64_t)1 << (8 * sizeof(type) - 1)); \
      default: return (type)r;                                      \
    }                                                               \
  }
#define PICK_FLOAT(code, type)                                                                \
  static type pick_##code(uint64_t *state) {                                                  \
    static const double odd[] = { 0.0, -0.0, 1.0, -1.0, INFINITY, -INFINITY, NAN, 1e-40 };    \
    uint64_t r = rnd(state);                                                                  \
    return rnd(state) % 2 ? (type)odd[r % 8] : (type)((int64_t)(r % 2000001) - 1000000) / 16; \
  }
PICK_INTEGER(I32, int32_t)
PICK_INTEGER(U32, uint32_t)
PICK_INTEGER(I64, int64_t)
PICK_INTEGER(U64, uint64_t)
PICK_FLOAT(FLT, float)
PICK_FLOAT(DBL, double)

static int same_bits(const void *x, const void *y, size_t n) { return memcmp(x, y, n) == 0; }

/* One constant operation in each way, from the same start; all must agree with the model. */
#define TRY(code, type, OP)                                                                                                \
  do {                                                                                                                     \
    volatile gex_OP_t known_late = OP;                                                                                     \
    type want = model_##code(plain(OP), old, a, b), left, found;                                                           \
    int way;                                                                                                               \
    for (way = 0; way < WAYS; way++) {                                                                                     \
      type untouched = found = pick_##code(state);                                                                         \
      gex_Event_Wait(gex_AD_OpNB_##code(ad, NULL, to, at, GEX_OP_SET, old, 0, 0));                                         \
      switch (way) {                                                                                                       \
        case 0: gex_Event_Wait(gex_AD_OpNB_##code(ad, &found, to, at, OP, a, b, GEX_FLAG_AD_REL)); break;                  \
        case 1:                                                                                                            \
          CHECK(gex_AD_OpNBI_##code(ad, &found, to, at, known_late, a, b, GEX_FLAG_AD_ACQ) == 0);                          \
          gex_NBI_Wait(category(OP), 0);                                                                                   \
          break;                                                                                                           \
        case 2: gex_Event_Wait(SYMBOL(gex_AD_OpNB_##code)(ad, &found, to, at, OP, a, b, GEX_FLAG_RANK_IS_JOBRANK)); break; \
        default:                                                                                                           \
          if (gex_AD_OpNBI_##code(ad, &found, to, at, OP, a, b, GEX_FLAG_IMMEDIATE))                                       \
            SYMBOL(gex_AD_OpNBI_##code)(ad, &found, to, at, OP, a, b, 0);                                                  \
          gex_NBI_Wait(category(OP), 0);                                                                                   \
          break;                                                                                                           \
      }                                                                                                                    \
      gex_Event_Wait(gex_AD_OpNB_##code(ad, &left, to, at, GEX_OP_GET, 0, 0, 0));                                          \
      CHECK(same_bits(&left, &want, sizeof left) || (left != left && want != want));                                       \
      if (!fetches(OP)) CHECK(same_bits(&found, &untouched, sizeof found));                                                \
      else CHECK(same_bits(&found, &old, sizeof found));                                                                   \
    }                                                                                                                      \
  } while (0)
#define TRY_BOTH(code, type, OP) \
  TRY(code, type, GEX_OP_##OP);  \
  TRY(code, type, GEX_OP_F##OP)
#define TRY_ALL(code, type)                                                                                    \
  TRY_BOTH(code, type, ADD); TRY_BOTH(code, type, SUB); TRY_BOTH(code, type, MULT); TRY_BOTH(code, type, MIN); \
  TRY_BOTH(code, type, MAX); TRY_BOTH(code, type, INC); TRY_BOTH(code, type, DEC); TRY_BOTH(code, type, CAS);  \
  TRY(code, type, GEX_OP_SET); TRY(code, type, GEX_OP_SWAP); TRY(code, type, GEX_OP_GET)
#define TRY_BITS(code, type) \
  TRY_BOTH(code, type, AND); TRY_BOTH(code, type, OR); TRY_BOTH(code, type, XOR)

#define WALK(code, type, ops, ...)                                                                       \
  static void walk_##code(gex_Rank_t to, uint64_t *state) {                                              \
    gex_AD_t ad = domain_of(GEX_DT_##code, ops);                                                         \
    type *at = (type *)(seg(to) + 256 * (me + 1)) + 1, before, after;                                    \
    int round;                                                                                           \
    gex_RMA_PutBlocking(world, to, at - 1, "12345678abcdefghABCDEFGH", 3 * sizeof(type), 0);             \
    gex_RMA_GetBlocking(world, &before, to, at - 1, sizeof before, 0);                                   \
    for (round = rounds(); round > 0; round--) {                                                         \
      type old = pick_##code(state), b = pick_##code(state);                                             \
      type a = rnd(state) % 3 ? pick_##code(state) : old;                                                \
      __VA_ARGS__                                                                                        \
    }                                                                                                    \
    gex_RMA_GetBlocking(world, &after, to, at - 1, sizeof after, 0);                                     \
    CHECK(same_bits(&before, &after, sizeof after));                                                     \
    gex_RMA_GetBlocking(world, &after, to, at + 1, sizeof after, 0);                                     \
    CHECK(same_bits(&after, (const char *)"12345678abcdefghABCDEFGH" + 2 * sizeof(type), sizeof after)); \
    barrier();                                                                                           \
    gex_AD_Destroy(ad);                                                                                  \
  }
WALK(I32, int32_t, OPS_OF_INTEGERS, TRY_ALL(I32, int32_t); TRY_BITS(I32, int32_t);)
WALK(U32, uint32_t, OPS_OF_INTEGERS, TRY_ALL(U32, uint32_t); TRY_BITS(U32, uint32_t);)
WALK(I64, int64_t, OPS_OF_INTEGERS, TRY_ALL(I64, int64_t); TRY_BITS(I64, int64_t);)
WALK(U64, uint64_t, OPS_OF_INTEGERS, TRY_ALL(U64, uint64_t); TRY_BITS(U64, uint64_t);)
WALK(FLT, float, OPS_OF_ALL, TRY_ALL(FLT, float);)
WALK(DBL, double, OPS_OF_ALL, TRY_ALL(DBL, double);)

int main(int argc, char **argv) {
  uint64_t state;
  int turn;
  domains_start(&argc, &argv);
  state = 0x9E3779B97F4A7C15ull + me;
  for (turn = 0; turn < 2; turn++) {
    gex_Rank_t to = turn ? next_rank() : me;
    walk_I32(to, &state);
    walk_U32(to, &state);
    walk_I64(to, &state);
    walk_U64(to, &state);
    walk_FLT(to, &state);
    walk_DBL(to, &state);
  }
  return check_end();
}
