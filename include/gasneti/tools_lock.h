/* Mutexes, condition variables, reader/writer locks and thread-specific pointers: those of pthreads where the
   client has threads, nothing where it has one. Debug clients have every call checked against the locks that the
   calling thread holds. */
#ifndef GASNETI_TOOLS_LOCK_H
#define GASNETI_TOOLS_LOCK_H

#include <errno.h>

#if GASNETI_THREADS || (defined(GASNETT_USE_TRUE_MUTEXES) && GASNETT_USE_TRUE_MUTEXES)

#include <pthread.h>

#define GASNETT_MUTEX_INITIALIZER \
  { {0} }
#define GASNETT_COND_INITIALIZER \
  { {0} }
#define GASNETT_RWLOCK_INITIALIZER \
  { {0} }

#ifdef GASNET_DEBUG

#define gasnett_mutex_init(pl) gasneti_checked_mutex_init(pl, __FILE__, __LINE__)
#define gasnett_mutex_destroy(pl) gasneti_checked_mutex_destroy(pl, __FILE__, __LINE__)
#define gasnett_mutex_lock(pl) gasneti_checked_mutex_lock(pl, __FILE__, __LINE__)
#define gasnett_mutex_trylock(pl) gasneti_checked_mutex_trylock(pl, __FILE__, __LINE__)
#define gasnett_mutex_unlock(pl) gasneti_checked_mutex_unlock(pl, __FILE__, __LINE__)
#define gasnett_mutex_assertlocked(pl) gasneti_checked_mutex_assertlocked(pl, __FILE__, __LINE__)
#define gasnett_mutex_assertunlocked(pl) gasneti_checked_mutex_assertunlocked(pl, __FILE__, __LINE__)
#define gasnett_cond_wait(pc, pl) gasneti_checked_cond_wait(pc, pl, __FILE__, __LINE__)
#define gasnett_rwlock_init(pl) gasneti_checked_rwlock_init(pl, __FILE__, __LINE__)
#define gasnett_rwlock_destroy(pl) gasneti_checked_rwlock_destroy(pl, __FILE__, __LINE__)
#define gasnett_rwlock_rdlock(pl) gasneti_checked_rwlock_rdlock(pl, __FILE__, __LINE__)
#define gasnett_rwlock_wrlock(pl) gasneti_checked_rwlock_wrlock(pl, __FILE__, __LINE__)
#define gasnett_rwlock_unlock(pl) gasneti_checked_rwlock_unlock(pl, __FILE__, __LINE__)
#define gasnett_rwlock_tryrdlock(pl) gasneti_checked_rwlock_tryrdlock(pl, __FILE__, __LINE__)
#define gasnett_rwlock_trywrlock(pl) gasneti_checked_rwlock_trywrlock(pl, __FILE__, __LINE__)
#define gasnett_rwlock_assertlocked(pl) gasneti_checked_rwlock_assertlocked(pl, __FILE__, __LINE__)
#define gasnett_rwlock_assertrdlocked(pl) gasneti_checked_rwlock_assertrdlocked(pl, __FILE__, __LINE__)
#define gasnett_rwlock_assertwrlocked(pl) gasneti_checked_rwlock_assertwrlocked(pl, __FILE__, __LINE__)
#define gasnett_rwlock_assertunlocked(pl) gasneti_checked_rwlock_assertunlocked(pl, __FILE__, __LINE__)

#elif !defined(GASNETI_NO_INLINE)

GASNETI_INLINE void gasneti_fast_mutex_lock(gasnett_mutex_t *pl) {
  (void)pthread_mutex_lock(GASNETI_POINTER(pthread_mutex_t *, pl));
}
GASNETI_INLINE void gasneti_fast_mutex_unlock(gasnett_mutex_t *pl) {
  (void)pthread_mutex_unlock(GASNETI_POINTER(pthread_mutex_t *, pl));
}
GASNETI_INLINE int gasneti_fast_mutex_trylock(gasnett_mutex_t *pl) {
  return pthread_mutex_trylock(GASNETI_POINTER(pthread_mutex_t *, pl));
}
GASNETI_INLINE void gasneti_fast_cond_signal(gasnett_cond_t *pc) {
  (void)pthread_cond_signal(GASNETI_POINTER(pthread_cond_t *, pc));
}
GASNETI_INLINE void gasneti_fast_cond_broadcast(gasnett_cond_t *pc) {
  (void)pthread_cond_broadcast(GASNETI_POINTER(pthread_cond_t *, pc));
}
GASNETI_INLINE void gasneti_fast_cond_wait(gasnett_cond_t *pc, gasnett_mutex_t *pl) {
  (void)pthread_cond_wait(GASNETI_POINTER(pthread_cond_t *, pc), GASNETI_POINTER(pthread_mutex_t *, pl));
}
#define gasnett_mutex_lock(pl) gasneti_fast_mutex_lock(pl)
#define gasnett_mutex_unlock(pl) gasneti_fast_mutex_unlock(pl)
#define gasnett_mutex_trylock(pl) gasneti_fast_mutex_trylock(pl)
#define gasnett_mutex_assertlocked(pl) ((void)(pl))
#define gasnett_mutex_assertunlocked(pl) ((void)(pl))
#define gasnett_cond_signal(pc) gasneti_fast_cond_signal(pc)
#define gasnett_cond_broadcast(pc) gasneti_fast_cond_broadcast(pc)
#define gasnett_cond_wait(pc, pl) gasneti_fast_cond_wait(pc, pl)
#define gasnett_rwlock_assertlocked(pl) ((void)(pl))
#define gasnett_rwlock_assertrdlocked(pl) ((void)(pl))
#define gasnett_rwlock_assertwrlocked(pl) ((void)(pl))
#define gasnett_rwlock_assertunlocked(pl) ((void)(pl))

#endif

#else /* one thread: a lock is an unused byte */

typedef char gasneti_nolock_t;
#define gasnett_mutex_t gasneti_nolock_t
#define gasnett_cond_t gasneti_nolock_t
#define gasnett_rwlock_t gasneti_nolock_t
#define GASNETT_MUTEX_INITIALIZER 0
#define GASNETT_COND_INITIALIZER 0
#define GASNETT_RWLOCK_INITIALIZER 0

GASNETI_INLINE void gasneti_no_lock(gasneti_nolock_t const volatile *pl) { (void)pl; }
GASNETI_INLINE int gasneti_no_trylock(gasneti_nolock_t const volatile *pl) {
  (void)pl;
  return 0;
}
GASNETI_INLINE void gasneti_no_wait(gasneti_nolock_t const volatile *pc, gasneti_nolock_t const volatile *pl) {
  (void)pc;
  (void)pl;
}
#define gasnett_mutex_init(pl) gasneti_no_lock(pl)
#define gasnett_mutex_destroy(pl) gasneti_no_lock(pl)
#define gasnett_mutex_destroy_ignoreerr(pl) gasneti_no_trylock(pl)
#define gasnett_mutex_lock(pl) gasneti_no_lock(pl)
#define gasnett_mutex_trylock(pl) gasneti_no_trylock(pl)
#define gasnett_mutex_unlock(pl) gasneti_no_lock(pl)
#define gasnett_mutex_assertlocked(pl) gasneti_no_lock(pl)
#define gasnett_mutex_assertunlocked(pl) gasneti_no_lock(pl)
#define gasnett_cond_init(pc) gasneti_no_lock(pc)
#define gasnett_cond_destroy(pc) gasneti_no_lock(pc)
#define gasnett_cond_signal(pc) gasneti_no_lock(pc)
#define gasnett_cond_broadcast(pc) gasneti_no_lock(pc)
#define gasnett_cond_wait(pc, pl) gasneti_no_wait(pc, pl)
#define gasnett_rwlock_init(pl) gasneti_no_lock(pl)
#define gasnett_rwlock_destroy(pl) gasneti_no_lock(pl)
#define gasnett_rwlock_rdlock(pl) gasneti_no_lock(pl)
#define gasnett_rwlock_wrlock(pl) gasneti_no_lock(pl)
#define gasnett_rwlock_unlock(pl) gasneti_no_lock(pl)
#define gasnett_rwlock_tryrdlock(pl) gasneti_no_trylock(pl)
#define gasnett_rwlock_trywrlock(pl) gasneti_no_trylock(pl)
#define gasnett_rwlock_assertlocked(pl) gasneti_no_lock(pl)
#define gasnett_rwlock_assertrdlocked(pl) gasneti_no_lock(pl)
#define gasnett_rwlock_assertwrlocked(pl) gasneti_no_lock(pl)
#define gasnett_rwlock_assertunlocked(pl) gasneti_no_lock(pl)

#endif

/* A pointer of each thread's own, NULL at first. DEFINE at global scope in one file, DECLARE wherever it is used:
       GASNETT_THREADKEY_DEFINE(mykey);
       gasnett_threadkey_set(mykey, p);   p = gasnett_threadkey_get(mykey); */
#if GASNETI_THREADS
#define GASNETI_PER_THREAD __thread
#else
#define GASNETI_PER_THREAD
#endif
#define GASNETT_THREADKEY_DECLARE(key) extern GASNETI_PER_THREAD void *_CONCAT(gasneti_threadkey_, key)
#define GASNETT_THREADKEY_DEFINE(key) GASNETI_PER_THREAD void *_CONCAT(gasneti_threadkey_, key) = GASNETI_NULL(void *)
/* `value`, of which the compiler knows no more: gcc 14 warns where the address of an automatic variable is kept, which is allowed as long as that
   variable lives. */
GASNETI_INLINE void *gasneti_kept(void *value) {
  __asm__("" : "+r"(value));
  return value;
}
#define gasnett_threadkey_get(key) ((void)0, _CONCAT(gasneti_threadkey_, key))
#define gasnett_threadkey_set(key, newval) ((void)(_CONCAT(gasneti_threadkey_, key) = gasneti_kept(newval)))
#define gasnett_threadkey_init(key) ((void)&_CONCAT(gasneti_threadkey_, key))
#define gasnett_threadkey_get_noinit(key) gasnett_threadkey_get(key)
#define gasnett_threadkey_set_noinit(key, newval) gasnett_threadkey_set(key, newval)

#endif
