// Signal wakes one waiter at least, broadcast all; the waiter has the mutex again.
// ranks: 1
// modes: par parsync
#include "tools_check.h"

static gasnett_mutex_t lock = GASNETT_MUTEX_INITIALIZER;
static gasnett_cond_t more = GASNETT_COND_INITIALIZER;
static int tickets, taken, open;

static void both(int i) {
  if (i == 0) {
    int n;
    for (n = 0; n < 300; n++) {
      gasnett_mutex_lock(&lock);
      tickets++;
      gasnett_cond_signal(&more);
      gasnett_mutex_unlock(&lock);
    }
    gasnett_mutex_lock(&lock);
    open = 1;
    gasnett_cond_broadcast(&more);
    gasnett_mutex_unlock(&lock);
  } else {
    gasnett_mutex_lock(&lock);
    for (;;) {
      while (!tickets && !open) gasnett_cond_wait(&more, &lock);
      gasnett_mutex_assertlocked(&lock);
      if (!tickets) break;
      tickets--, taken++;
    }
    gasnett_mutex_unlock(&lock);
  }
}

int main(void) {
  gasnett_cond_t made;
  on_threads(4, both);
  CHECK_EQ(taken, 300);
  gasnett_cond_init(&made);
  gasnett_cond_destroy(&made);
  return check_end();
}
