// A client with one thread has locks of one byte that do nothing.
// ranks: 1
// modes: seq
#include "tools_check.h"

int main(void) {
  gasnett_mutex_t m = GASNETT_MUTEX_INITIALIZER;
  gasnett_cond_t c = GASNETT_COND_INITIALIZER;
  gasnett_rwlock_t r = GASNETT_RWLOCK_INITIALIZER;
  CHECK_EQ(sizeof m + sizeof c + sizeof r, 3);
  gasnett_mutex_init(&m), gasnett_cond_init(&c), gasnett_rwlock_init(&r);
  gasnett_mutex_lock(&m);
  gasnett_mutex_lock(&m);
  CHECK_EQ(gasnett_mutex_trylock(&m), 0);
  gasnett_cond_signal(&c), gasnett_cond_broadcast(&c);
  gasnett_rwlock_wrlock(&r);
  CHECK_EQ(gasnett_rwlock_tryrdlock(&r) | gasnett_rwlock_trywrlock(&r), 0);
  gasnett_rwlock_unlock(&r);
  CHECK_EQ(gasnett_mutex_destroy_ignoreerr(&m), 0);
  gasnett_cond_destroy(&c), gasnett_rwlock_destroy(&r);
  CHECK_EQ(GASNETT_MAX_THREADS, 1);
  return check_end();
}
