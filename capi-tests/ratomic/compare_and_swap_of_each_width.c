// Domains of the operations that a network may execute itself, with compare-and-swap, of each integer type: the word and the result
// are exactly as long as the type. (Open MPI 4.1 writes 8 bytes for the result of a compare-and-swap of 4.)
// ranks: 2 3
#include "domains.h"

#define OPS (GEX_OP_FADD | GEX_OP_FCAS | GEX_OP_GET | GEX_OP_SET)
enum { EACH = 20 };

#define WIDTH(TYPE, DT)                                                                                                   \
  static void DT(void) {                                                                                                  \
    gex_AD_t domain = domain_of(GEX_DT_##DT, OPS);                                                                        \
    TYPE *word = (TYPE *)seg(0) + 1, got[3];                                                                              \
    TYPE turn, value;                                                                                                     \
    int i;                                                                                                                \
    for (i = 0; i < EACH; i++) {                                                                                          \
      value = (TYPE)(i * (int)nranks + (int)me);                                                                          \
      do {                                                                                                                \
        got[0] = got[1] = got[2] = (TYPE)-7;                                                                              \
        gex_Event_Wait(gex_AD_OpNB_##DT(domain, &got[1], 0, word, GEX_OP_FCAS, value, value + 1, 0));                     \
        CHECK(got[0] == (TYPE)-7 && got[2] == (TYPE)-7);                                                                  \
        gasnet_AMPoll(); /* an operation on a word of its own is complete without a poll */                               \
      } while (got[1] != value);                                                                                          \
    }                                                                                                                     \
    barrier();                                                                                                            \
    gex_Event_Wait(gex_AD_OpNB_##DT(domain, &turn, 0, word, GEX_OP_GET, 0, 0, 0));                                        \
    CHECK_EQ(turn, EACH * nranks);                                                                                        \
    barrier();                                                                                                            \
    if (me == 0) CHECK(word[-1] == 0 && word[1] == 0);                                                                    \
    if (me == 0) gex_Event_Wait(gex_AD_OpNB_##DT(domain, NULL, 0, word, GEX_OP_SET, 0, 0, 0));                            \
    barrier();                                                                                                            \
    gex_AD_Destroy(domain);                                                                                               \
  }
WIDTH(int32_t, I32)
WIDTH(uint32_t, U32)
WIDTH(int64_t, I64)
WIDTH(uint64_t, U64)

int main(int argc, char **argv) {
  domains_start(&argc, &argv);
  memset(seg(me), 0, KiB(4));
  barrier();
  I32();
  U32();
  I64();
  U64();
  return check_end();
}
