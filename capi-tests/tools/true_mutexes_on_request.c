// GASNETT_USE_TRUE_MUTEXES gives real locks to a client compiled for one thread.
// ranks: 1
// modes: seq
// cflags: -DGASNETT_USE_TRUE_MUTEXES=1
#include "tools_check.h"

static gasnett_mutex_t lock = GASNETT_MUTEX_INITIALIZER;
static int total;
static void add(int i) {
  int n;
  (void)i;
  for (n = 0; n < 20000; n++) {
    gasnett_mutex_lock(&lock);
    total++;
    gasnett_mutex_unlock(&lock);
  }
}

int main(void) {
  on_threads(4, add);
  CHECK_EQ(total, 80000);
  return check_end();
}
