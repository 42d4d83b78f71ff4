// A thread key is NULL at first and keeps the value that its own thread stored.
// ranks: 1
// modes: par parsync
#include "tools_check.h"

GASNETT_THREADKEY_DECLARE(shown);
GASNETT_THREADKEY_DEFINE(shown);
GASNETT_THREADKEY_DEFINE(early);

static char marks[8];

static void use(int i) {
  int n;
  CHECK(gasnett_threadkey_get(shown) == NULL);
  gasnett_threadkey_init(early);
  CHECK(gasnett_threadkey_get_noinit(early) == NULL);
  gasnett_threadkey_set(shown, (void *)&marks[7 - i]);
  gasnett_threadkey_set_noinit(early, (void *)&marks[i]);
  for (n = 0; n < 1000; n++) {
    CHECK(gasnett_threadkey_get(shown) == (void *)&marks[7 - i]);
    CHECK(gasnett_threadkey_get_noinit(early) == (void *)&marks[i]);
    if (n % 100 == 0) gasnett_sched_yield();
  }
}

int main(void) {
  on_threads(8, use);
  CHECK(gasnett_threadkey_get(shown) == NULL);
  return check_end();
}
