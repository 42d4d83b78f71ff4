// One thread at a time; a mutex that is taken answers EBUSY to trylock.
// ranks: 1
// modes: par parsync
#include "tools_check.h"

static gasnett_mutex_t fixed = GASNETT_MUTEX_INITIALIZER;
static gasnett_mutex_t *lock;
static int inside, total;

static void enter(int i) {
  int n;
  (void)i;
  for (n = 0; n < 5000; n++) {
    if (n % 7 == 0) {
      int got = gasnett_mutex_trylock(lock);
      CHECK(got == 0 || got == EBUSY);
      if (got) continue;
    } else gasnett_mutex_lock(lock);
    gasnett_mutex_assertlocked(lock);
    CHECK_EQ(++inside, 1);
    total++;
    --inside;
    gasnett_mutex_unlock(lock);
    gasnett_mutex_assertunlocked(lock);
  }
}

int main(void) {
  gasnett_mutex_t made;
  lock = &fixed;
  on_threads(4, enter);
  CHECK(total >= 4 * 5000 * 6 / 7);
  gasnett_mutex_init(&made);
  lock = &made;
  on_threads(4, enter);
  gasnett_mutex_destroy(&made);
  return check_end();
}
