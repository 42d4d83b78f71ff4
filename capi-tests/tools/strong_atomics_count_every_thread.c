// Nothing is lost when threads meet on one strong atomic, even in a client compiled for one thread.
// ranks: 1
#include "tools_check.h"

#define THREADS 4
#define TIMES 20000
static gasnett_strongatomic_t a = gasnett_strongatomic_init(0);
static gasnett_strongatomic32_t b = gasnett_strongatomic32_init(0);
static gasnett_strongatomic64_t c = gasnett_strongatomic64_init(0);
static gasnett_strongatomic64_t d = gasnett_strongatomic64_init(0);

static void count(int i) {
  int n;
  (void)i;
  for (n = 0; n < TIMES; n++) {
    uint64_t old;
    gasnett_strongatomic_increment(&a, 0);
    gasnett_strongatomic32_add(&b, 3, 0);
    gasnett_strongatomic64_subtract(&c, 1, 0);
    do old = gasnett_strongatomic64_read(&d, 0);
    while (!gasnett_strongatomic64_compare_and_swap(&d, old, old + 2, 0));
  }
}

int main(void) {
  on_threads(THREADS, count);
  CHECK_EQ(gasnett_strongatomic_read(&a, 0), THREADS * TIMES);
  CHECK_EQ(gasnett_strongatomic32_read(&b, 0), 3 * THREADS * TIMES);
  CHECK_EQ((int64_t)gasnett_strongatomic64_read(&c, 0), -THREADS * TIMES);
  CHECK_EQ(gasnett_strongatomic64_read(&d, 0), 2 * THREADS * TIMES);
  return check_end();
}
