// Each accelerated function is also a symbol, for other languages, and both do the same.
// ranks: 1
#include "tools_check.h"

static uint64_t seed = 88172645463325252u;
static uint64_t next(void) {
  seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
  return seed;
}

#define AGREE(fam, type)                                                                     \
  do {                                                                                       \
    fam##_t p = fam##_init(0), q = fam##_init(0);                                            \
    for (i = 0; i < 200; i++) {                                                              \
      type v = (type)next(), u = (type)(next() % 3);                                         \
      int f = (int)(next() & 63);                                                            \
      if (i % 3 == 0) fam##_set(&p, u, f), (fam##_set)(&q, u, f);                            \
      CHECK(fam##_add(&p, v, f) == (fam##_add)(&q, v, f));                                   \
      CHECK(fam##_subtract(&p, u, f) == (fam##_subtract)(&q, u, f));                         \
      CHECK(fam##_compare_and_swap(&p, u, v, f) == (fam##_compare_and_swap)(&q, u, v, f));   \
      CHECK(fam##_swap(&p, u, f) == (fam##_swap)(&q, u, f));                                 \
      CHECK(fam##_decrement_and_test(&p, f) == (fam##_decrement_and_test)(&q, f));           \
      fam##_increment(&p, f), (fam##_increment)(&q, f);                                      \
      fam##_decrement(&p, f), (fam##_decrement)(&q, f);                                      \
      CHECK(fam##_read(&p, f) == (fam##_read)(&q, f));                                       \
    }                                                                                        \
  } while (0)

int main(void) {
  int i;
  AGREE(gasnett_atomic, gasnett_atomic_val_t);
  AGREE(gasnett_atomic32, uint32_t);
  AGREE(gasnett_atomic64, uint64_t);
  AGREE(gasnett_strongatomic, gasnett_atomic_val_t);
  AGREE(gasnett_strongatomic32, uint32_t);
  AGREE(gasnett_strongatomic64, uint64_t);
  for (i = 0; i < 200; i++) {
    uint64_t v = next() & next();
    CHECK_EQ(gasnett_count0s_uint32_t((uint32_t)v), (gasnett_count0s_uint32_t)((uint32_t)v));
    CHECK_EQ(gasnett_count0s_uint64_t(v), (gasnett_count0s_uint64_t)(v));
    CHECK_EQ(gasnett_count0s_uintptr_t(v), (gasnett_count0s_uintptr_t)(v));
    CHECK(gasnett_ticks_to_ns(v >> 12) == (gasnett_ticks_to_ns)(v >> 12));
    CHECK(gasnett_ticks_to_us(v >> 12) == (gasnett_ticks_to_us)(v >> 12));
  }
  {
    gasnett_tick_t a = gasnett_ticks_now(), b = (gasnett_ticks_now)(), c = gasnett_ticks_now();
    CHECK(a <= b && b <= c);
  }
  (gasnett_local_wmb)(), (gasnett_local_rmb)(), (gasnett_local_mb)(), (gasnett_compiler_fence)();
  (gasnett_weak_wmb)(), (gasnett_weak_rmb)(), (gasnett_weak_mb)(), (gasnett_spinloop_hint)();
  return check_end();
}
