// A debug client that unlocks a tools lock that it does not hold, locks it twice or destroys it while held is stopped with the call and its place.
// ranks: 1
// modes: par
// debug: compiled
// every case: exit nonzero; stderr /tools_lock_misuse_is_named.c:[0-9]+/
// case unlock_free: stderr /gasnett_mutex_unlock/
// case lock_own: stderr /gasnett_mutex_lock/
// case destroy_held: stderr /gasnett_mutex_destroy/
// case unlock_elsewhere: stderr /gasnett_mutex_unlock/
// case assert_free: stderr /gasnett_mutex_assertlocked/
// case assert_held: stderr /gasnett_mutex_assertunlocked/
// case rw_unlock_free: stderr /gasnett_rwlock_unlock/
// case rw_upgrade: stderr /gasnett_rwlock_wrlock/
// case rw_write_twice: stderr /gasnett_rwlock_wrlock/
// case rw_assert: stderr /gasnett_rwlock_assertrdlocked/
#include "misuse.h"

#include <gasnet_tools.h>

static gasnett_mutex_t m = GASNETT_MUTEX_INITIALIZER;
static gasnett_rwlock_t rw = GASNETT_RWLOCK_INITIALIZER;
static void unlock_it(int i) { (void)i; gasnett_mutex_unlock(&m); }

int main(int argc, char **argv) {
  check_start(&argc, &argv, NULL, 0, 0);
  misuse_begin(argc, argv);
  MISUSE("unlock_free", gasnett_mutex_unlock(&m));
  MISUSE("lock_own", gasnett_mutex_lock(&m); gasnett_mutex_lock(&m));
  MISUSE("destroy_held", gasnett_mutex_lock(&m); gasnett_mutex_destroy(&m));
  MISUSE("unlock_elsewhere", gasnett_mutex_lock(&m); on_threads(1, unlock_it));
  MISUSE("assert_free", gasnett_mutex_assertlocked(&m));
  MISUSE("assert_held", gasnett_mutex_lock(&m); gasnett_mutex_assertunlocked(&m));
  MISUSE("rw_unlock_free", gasnett_rwlock_unlock(&rw));
  MISUSE("rw_upgrade", gasnett_rwlock_rdlock(&rw); gasnett_rwlock_wrlock(&rw));
  MISUSE("rw_write_twice", gasnett_rwlock_wrlock(&rw); gasnett_rwlock_wrlock(&rw));
  MISUSE("rw_assert", gasnett_rwlock_assertrdlocked(&rw));
  return check_end();
}
