// Every operation of every family gives the documented result, wraps around, and starts from its initialiser.
// ranks: 1
#include "tools_check.h"

#define FAMILY(fam, type, max)                                           \
  do {                                                                   \
    static fam##_t x = fam##_init(7);                                    \
    CHECK_EQ(fam##_read(&x, 0), 7);                                      \
    fam##_set(&x, 5, 0);                                                 \
    CHECK_EQ(fam##_read(&x, GASNETT_ATOMIC_MB_PRE), 5);                  \
    fam##_increment(&x, 0);                                              \
    CHECK_EQ(fam##_read(&x, 0), 6);                                      \
    fam##_decrement(&x, 0);                                              \
    CHECK_EQ(fam##_read(&x, 0), 5);                                      \
    CHECK_EQ(fam##_add(&x, 10, 0), 15);                                  \
    CHECK_EQ(fam##_subtract(&x, 13, 0), 2);                              \
    CHECK(!fam##_decrement_and_test(&x, 0));                             \
    CHECK(fam##_decrement_and_test(&x, GASNETT_ATOMIC_ACQ_IF_TRUE));     \
    CHECK_EQ(fam##_read(&x, 0), 0);                                      \
    CHECK(!fam##_compare_and_swap(&x, 1, 9, 0));                         \
    CHECK_EQ(fam##_read(&x, 0), 0);                                      \
    CHECK(fam##_compare_and_swap(&x, 0, 9, GASNETT_ATOMIC_REL));         \
    CHECK_EQ(fam##_swap(&x, 11, 0), 9);                                  \
    CHECK_EQ(fam##_read(&x, 0), 11);                                     \
    fam##_set(&x, (type)(max), GASNETT_ATOMIC_MB_POST);                  \
    CHECK_EQ(fam##_add(&x, 1, 0), 0);                                    \
    CHECK_EQ(fam##_subtract(&x, 1, 0), (type)(max));                     \
    CHECK(fam##_compare_and_swap(&x, (type)-1, 3, 0));                   \
    for (flags = 0; flags < 64; flags++) {                               \
      fam##_set(&x, (type)flags, flags);                                 \
      CHECK_EQ(fam##_read(&x, flags), flags);                            \
      CHECK_EQ(fam##_swap(&x, 1, flags), flags);                         \
    }                                                                    \
  } while (0)

int main(void) {
  int flags;
  FAMILY(gasnett_atomic, gasnett_atomic_val_t, GASNETT_ATOMIC_MAX);
  FAMILY(gasnett_atomic32, uint32_t, 0xffffffffu);
  FAMILY(gasnett_atomic64, uint64_t, ~(uint64_t)0);
  FAMILY(gasnett_strongatomic, gasnett_atomic_val_t, GASNETT_ATOMIC_MAX);
  FAMILY(gasnett_strongatomic32, uint32_t, 0xffffffffu);
  FAMILY(gasnett_strongatomic64, uint64_t, ~(uint64_t)0);
  CHECK_EQ(gasnett_atomic_signed((gasnett_atomic_val_t)-5), -5);
  CHECK_EQ(GASNETT_ATOMIC_SIGNED_MIN, -2147483647 - 1);
  CHECK_EQ(sizeof(gasnett_atomic32_t), 4);
  CHECK_EQ(sizeof(gasnett_atomic64_t), 8);
  return check_end();
}
