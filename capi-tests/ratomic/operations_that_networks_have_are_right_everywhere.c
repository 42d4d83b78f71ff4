// A domain of the operations that networks have, so that they execute them where they do: each stores and returns the right value, at oneself, at the
// next rank, and at all others, twice.
#include "domains.h"

#define OPS_OF_NETWORKS                                                                                                          \
  (GEX_OP_ADD | GEX_OP_SUB | GEX_OP_INC | GEX_OP_DEC | GEX_OP_FADD | GEX_OP_FSUB | GEX_OP_FINC | GEX_OP_FDEC | GEX_OP_SET |      \
   GEX_OP_CAS | GEX_OP_GET | GEX_OP_SWAP | GEX_OP_FCAS | GEX_OP_AND | GEX_OP_OR | GEX_OP_XOR | GEX_OP_FAND | GEX_OP_FOR | GEX_OP_FXOR)

/* An operation on the word of this rank at `to`, and the value before it; then the value it leaves. */
#define STEP(code, op, op1, op2, left)                                                                       \
  do {                                                                                                       \
    int fetched = fetches(op);                                                                               \
    got = (__typeof__(got))0x55;                                                                             \
    gex_Event_Wait(gex_AD_OpNB_##code(ad, fetched ? &got : NULL, to, word, op, op1, op2, 0));                \
    if (fetched) CHECK_EQ(got, value);                                                                       \
    value = (__typeof__(value))(left);                                                                       \
    gex_Event_Wait(gex_AD_OpNB_##code(ad, &got, to, word, GEX_OP_GET, 0, 0, 0));                             \
    CHECK_EQ(got, value);                                                                                    \
  } while (0)

#define OF_TYPE(code, type)                                                                                  \
  static void check_##code(void) {                                                                           \
    gex_AD_t ad = domain_of(GEX_DT_##code, OPS_OF_NETWORKS);                                                 \
    for (gex_Rank_t step = 0; step < 2 * nranks; step++) {                                                   \
      gex_Rank_t to = (me + step) % nranks;                                                                  \
      type *word = (type *)seg(to) + me, value = 0, got = 0;                                                 \
      gex_Event_Wait(gex_AD_OpNB_##code(ad, NULL, to, word, GEX_OP_SET, value = 77, 0, 0));                  \
      STEP(code, GEX_OP_FXOR, 0, 0, value);                                                                  \
      STEP(code, GEX_OP_FXOR, 3, 0, value ^ 3);                                                              \
      STEP(code, GEX_OP_XOR, 0x1234, 0, value ^ 0x1234);                                                     \
      STEP(code, GEX_OP_FOR, 0x4321, 0, value | 0x4321);                                                     \
      STEP(code, GEX_OP_OR, 0x8001, 0, value | 0x8001);                                                      \
      STEP(code, GEX_OP_FAND, 0xf0f1, 0, value & 0xf0f1);                                                    \
      STEP(code, GEX_OP_AND, 0xfff0, 0, value & 0xfff0);                                                     \
      STEP(code, GEX_OP_FADD, (type)-5, 0, value - 5);                                                       \
      STEP(code, GEX_OP_ADD, 9, 0, value + 9);                                                               \
      STEP(code, GEX_OP_FSUB, 1000, 0, value - 1000);                                                        \
      STEP(code, GEX_OP_SUB, 1, 0, value - 1);                                                               \
      STEP(code, GEX_OP_FINC, 0, 0, value + 1);                                                              \
      STEP(code, GEX_OP_INC, 0, 0, value + 1);                                                               \
      STEP(code, GEX_OP_FDEC, 0, 0, value - 1);                                                              \
      STEP(code, GEX_OP_DEC, 0, 0, value - 1);                                                               \
      STEP(code, GEX_OP_SWAP, (type)-7, 0, -7);                                                              \
      STEP(code, GEX_OP_FCAS, 1, 2, value);                                                                  \
      STEP(code, GEX_OP_FCAS, (type)-7, 12, 12);                                                             \
      STEP(code, GEX_OP_CAS, 12, 13, 13);                                                                    \
    }                                                                                                        \
    barrier();                                                                                               \
    gex_AD_Destroy(ad);                                                                                      \
  }
OF_TYPE(I32, int32_t)
OF_TYPE(U32, uint32_t)
OF_TYPE(I64, int64_t)
OF_TYPE(U64, uint64_t)

int main(int argc, char **argv) {
  domains_start(&argc, &argv);
  barrier();
  check_I32();
  check_U32();
  check_I64();
  check_U64();
  return check_end();
}
