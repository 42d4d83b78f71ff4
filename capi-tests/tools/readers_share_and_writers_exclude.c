// A reader/writer lock admits readers together and a writer alone.
// ranks: 1
// modes: par parsync
#include "tools_check.h"

static gasnett_rwlock_t lock = GASNETT_RWLOCK_INITIALIZER;
static gasnett_strongatomic_t readers = gasnett_strongatomic_init(0), writers = gasnett_strongatomic_init(0);
static pthread_barrier_t together;

static void use(int i) {
  int n;
  for (n = 0; n < 3000; n++) {
    if ((n + i) % 5 == 0) {
      gasnett_rwlock_wrlock(&lock);
      gasnett_rwlock_assertwrlocked(&lock);
      CHECK_EQ(gasnett_strongatomic_add(&writers, 1, 0), 1);
      CHECK_EQ(gasnett_strongatomic_read(&readers, 0), 0);
      gasnett_strongatomic_decrement(&writers, 0);
    } else {
      gasnett_rwlock_rdlock(&lock);
      gasnett_rwlock_assertrdlocked(&lock);
      gasnett_strongatomic_increment(&readers, 0);
      CHECK_EQ(gasnett_strongatomic_read(&writers, 0), 0);
      gasnett_strongatomic_decrement(&readers, 0);
    }
    gasnett_rwlock_assertlocked(&lock);
    gasnett_rwlock_unlock(&lock);
    gasnett_rwlock_assertunlocked(&lock);
  }
  /* All hold it for reading at once, or this would not end; no thread may write meanwhile. */
  pthread_barrier_wait(&together);
  CHECK_EQ(gasnett_rwlock_tryrdlock(&lock), 0);
  pthread_barrier_wait(&together);
  gasnett_rwlock_unlock(&lock);
  pthread_barrier_wait(&together);
  if (i == 0) {
    gasnett_rwlock_rdlock(&lock);
  }
  pthread_barrier_wait(&together);
  if (i == 1) CHECK_EQ(gasnett_rwlock_trywrlock(&lock), EBUSY);
  pthread_barrier_wait(&together);
  if (i == 0) gasnett_rwlock_unlock(&lock);
}

int main(void) {
  gasnett_rwlock_t made;
  pthread_barrier_init(&together, NULL, 3);
  on_threads(3, use);
  gasnett_rwlock_init(&made);
  gasnett_rwlock_wrlock(&made);
  gasnett_rwlock_unlock(&made);
  gasnett_rwlock_destroy(&made);
  return check_end();
}
