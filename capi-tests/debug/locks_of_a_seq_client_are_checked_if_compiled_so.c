// A GASNET_SEQ client that is compiled with -DGASNET_DEBUG and misuses a handler-safe lock is stopped, with the call and its place.
// ranks: 1
// modes: seq
// debug: compiled
// every case: exit nonzero; stderr /@AT@/
// case lock_twice: stderr /HSL USAGE VIOLATION: gasnet_hsl_lock: the lock 0x[0-9a-f]+ is already held by this thread/
// case trylock_own: stderr /HSL USAGE VIOLATION.*trylock/
// case unlock_unlocked: stderr /HSL USAGE VIOLATION.*unlock/
// case poll_with_lock: stderr /HSL USAGE VIOLATION: gasnet_AMPoll: called while holding a handler-safe lock/
#include "misuse.h"

static gasnet_hsl_t lock = GASNET_HSL_INITIALIZER;

int main(int argc, char **argv) {
  check_start(&argc, &argv, NULL, 0, KiB(64));
  misuse_begin(argc, argv);
  if (strcmp(misuse_case, "unlock_unlocked")) gasnet_hsl_lock(&lock);
  MISUSE("lock_twice", gasnet_hsl_lock(&lock));
  MISUSE("trylock_own", gasnet_hsl_trylock(&lock));
  MISUSE("unlock_unlocked", gasnet_hsl_unlock(&lock));
  MISUSE("poll_with_lock", gasnet_AMPoll());
  gasnet_hsl_unlock(&lock);
  return check_end();
}
