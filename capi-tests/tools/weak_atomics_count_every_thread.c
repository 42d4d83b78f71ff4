// In a threaded client the plain atomics lose nothing either.
// ranks: 1
// modes: par parsync
#include "tools_check.h"

#define THREADS 4
#define TIMES 20000
static gasnett_atomic_t a = gasnett_atomic_init(0);
static gasnett_atomic32_t b = gasnett_atomic32_init(0);
static gasnett_atomic64_t c = gasnett_atomic64_init(0);

static void count(int i) {
  int n;
  (void)i;
  for (n = 0; n < TIMES; n++) {
    gasnett_atomic_increment(&a, 0);
    gasnett_atomic32_add(&b, 3, 0);
    gasnett_atomic64_decrement(&c, 0);
  }
}

int main(void) {
  on_threads(THREADS, count);
  CHECK_EQ(gasnett_atomic_read(&a, 0), THREADS * TIMES);
  CHECK_EQ(gasnett_atomic32_read(&b, 0), 3 * THREADS * TIMES);
  CHECK_EQ((int64_t)gasnett_atomic64_read(&c, 0), -THREADS * TIMES);
  return check_end();
}
