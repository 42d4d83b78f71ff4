// In a debug client every misuse of a lock ends the program with the call, the reason, the file and the line.
// ranks: 1
// modes: par
// debug: compiled
// case recursive: exit 134; stderr /FATAL ERROR.*gasnett_mutex_lock: this thread has lock 0x[0-9a-f]+ locked since .*lock_misuse_is_named.c:[0-9]+.* at .*lock_misuse_is_named.c:[0-9]+/
// case trylock: exit 134; stderr /gasnett_mutex_trylock: this thread has lock/
// case unlocked: exit 134; stderr /gasnett_mutex_unlock: lock 0x[0-9a-f]+ is not locked by this thread.*lock_misuse_is_named.c/
// case foreign: exit 134; stderr /gasnett_mutex_unlock: lock 0x[0-9a-f]+ is not locked by this thread/
// case wait: exit 134; stderr /gasnett_cond_wait: lock 0x[0-9a-f]+ is not locked by this thread/
// case destroy: exit 134; stderr /gasnett_mutex_destroy: this thread has lock/
// case asserted: exit 134; stderr /gasnett_mutex_assertlocked: lock/
// case assertnot: exit 134; stderr /gasnett_mutex_assertunlocked: this thread has lock/
// case rdrd: exit 134; stderr /gasnett_rwlock_rdlock: this thread has lock 0x[0-9a-f]+ locked for reading since/
// case rdwr: exit 134; stderr /gasnett_rwlock_wrlock: this thread has lock 0x[0-9a-f]+ locked for reading since/
// case wrassert: exit 134; stderr /gasnett_rwlock_assertwrlocked: this thread has lock 0x[0-9a-f]+ locked for reading since .*, not locked for writing/
// case rwunlock: exit 134; stderr /gasnett_rwlock_unlock: lock 0x[0-9a-f]+ is not locked for reading by this thread/
// case rwdestroy: exit 134; stderr /gasnett_rwlock_destroy: this thread has lock/
#include "tools_check.h"

static gasnett_mutex_t m = GASNETT_MUTEX_INITIALIZER;
static gasnett_cond_t c = GASNETT_COND_INITIALIZER;
static gasnett_rwlock_t r = GASNETT_RWLOCK_INITIALIZER;
static void take(int i) {
  (void)i;
  gasnett_mutex_lock(&m);
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "";
  if (!strcmp(what, "recursive")) gasnett_mutex_lock(&m), gasnett_mutex_lock(&m);
  if (!strcmp(what, "trylock")) gasnett_mutex_lock(&m), (void)gasnett_mutex_trylock(&m);
  if (!strcmp(what, "unlocked")) gasnett_mutex_unlock(&m);
  if (!strcmp(what, "foreign")) on_threads(1, take), gasnett_mutex_unlock(&m);
  if (!strcmp(what, "wait")) gasnett_cond_wait(&c, &m);
  if (!strcmp(what, "destroy")) gasnett_mutex_lock(&m), gasnett_mutex_destroy(&m);
  if (!strcmp(what, "asserted")) gasnett_mutex_assertlocked(&m);
  if (!strcmp(what, "assertnot")) gasnett_mutex_lock(&m), gasnett_mutex_assertunlocked(&m);
  if (!strcmp(what, "rdrd")) gasnett_rwlock_rdlock(&r), gasnett_rwlock_rdlock(&r);
  if (!strcmp(what, "rdwr")) gasnett_rwlock_rdlock(&r), gasnett_rwlock_wrlock(&r);
  if (!strcmp(what, "wrassert")) gasnett_rwlock_rdlock(&r), gasnett_rwlock_assertwrlocked(&r);
  if (!strcmp(what, "rwunlock")) gasnett_rwlock_unlock(&r);
  if (!strcmp(what, "rwdestroy")) gasnett_rwlock_wrlock(&r), gasnett_rwlock_destroy(&r);
  return check_end();
}
