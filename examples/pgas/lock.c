/* Locks with a queue. The lock lies in shared memory of its owner, whose rank alone looks at it, in handlers, under one
   of a few handler-safe locks. Handlers never wait: one who finds the lock taken puts the asker into the queue, and who
   gives the lock back is told whose turn it is and tells them. */
#include "inside.h"

#define GUARDS 16
static gasnet_hsl_t guards[GUARDS];
/* By thread of the job: the next thread in the queue in which it waits here. */
static uint32_t *behind;

/* Messages of handlers to the threads of this rank; each thread waits for one at a time. */
enum { NOTHING, YES, NO };
static volatile int answer[PGAS_MAX_LOCAL];
static volatile uint32_t turn_of[PGAS_MAX_LOCAL]; /* thread, counted from 1 */

void pgas_lock_start(void) {
  for (int i = 0; i < GUARDS; i++) gasnet_hsl_init(&guards[i]);
  behind = (uint32_t *)pgas_private(pgas_threads() + 1, sizeof *behind);
}

static gasnet_hsl_t *guard_of(const pgas_lock_t *lock) { return &guards[(uintptr_t)lock / sizeof *lock % GUARDS]; }
static gasnet_handlerarg_t high_of(const void *at) { return (gasnet_handlerarg_t)((uint64_t)(uintptr_t)at >> 32); }
static gasnet_handlerarg_t low_of(const void *at) { return (gasnet_handlerarg_t)(uintptr_t)at; }
static pgas_lock_t *lock_at(gasnet_handlerarg_t high, gasnet_handlerarg_t low) {
  return (pgas_lock_t *)(uintptr_t)((uint64_t)(uint32_t)high << 32 | (uint32_t)low);
}

void pgas_on_lock_ask(gasnet_token_t token, gasnet_handlerarg_t high, gasnet_handlerarg_t low, gasnet_handlerarg_t thread,
                      gasnet_handlerarg_t wait) {
  pgas_lock_t *lock = lock_at(high, low);
  uint32_t asker = (uint32_t)thread + 1;
  int granted;
  gasnet_hsl_lock(guard_of(lock));
  granted = lock->holder == 0;
  if (granted) {
    lock->holder = asker;
  } else if (wait) {
    behind[asker] = 0;
    if (lock->last) behind[lock->last] = asker;
    else lock->first = asker;
    lock->last = asker;
  }
  gasnet_hsl_unlock(guard_of(lock));
  /* A queued thread gets a message from the holder before it. */
  if (granted || !wait)
    gasnet_AMReplyShort2(token, PGAS_LOCK_ANSWER, (gasnet_handlerarg_t)pgas_index_of((uint32_t)thread), granted);
}

void pgas_on_lock_answer(gasnet_token_t token, gasnet_handlerarg_t index, gasnet_handlerarg_t granted) {
  (void)token;
  answer[index] = granted ? YES : NO;
}

void pgas_on_lock_return(gasnet_token_t token, gasnet_handlerarg_t high, gasnet_handlerarg_t low,
                         gasnet_handlerarg_t thread) {
  pgas_lock_t *lock = lock_at(high, low);
  uint32_t held_by, next;
  gasnet_hsl_lock(guard_of(lock));
  held_by = lock->holder, next = lock->first;
  lock->holder = next;
  if (next) {
    lock->first = behind[next];
    if (!lock->first) lock->last = 0;
  }
  gasnet_hsl_unlock(guard_of(lock));
  if (held_by != (uint32_t)thread + 1) pgas_fail("thread %u gives back a lock that it has not", (unsigned)thread);
  gasnet_AMReplyShort2(token, PGAS_LOCK_RETURNED, (gasnet_handlerarg_t)pgas_index_of((uint32_t)thread),
                       (gasnet_handlerarg_t)next);
}

void pgas_on_lock_returned(gasnet_token_t token, gasnet_handlerarg_t index, gasnet_handlerarg_t next) {
  (void)token;
  turn_of[index] = (uint32_t)next;
  answer[index] = YES;
}

void pgas_on_lock_yours(gasnet_token_t token, gasnet_handlerarg_t index) {
  (void)token;
  answer[index] = YES;
}

static int ask(pgas_ptr lock, int wait) {
  answer[pgas_self] = NOTHING;
  gasnet_AMRequestShort4(pgas_rank_of(lock.thread), PGAS_LOCK_ASK, high_of(lock.addr), low_of(lock.addr),
                         (gasnet_handlerarg_t)pgas_me(), wait);
  GASNET_BLOCKUNTIL(answer[pgas_self] != NOTHING);
  gasnett_local_rmb();
  return answer[pgas_self] == YES;
}

void pgas_lock(pgas_ptr lock) { (void)ask(lock, 1); }
int pgas_trylock(pgas_ptr lock) { return ask(lock, 0); }

void pgas_unlock(pgas_ptr lock) {
  uint32_t next;
  pgas_fence(); /* the next holder sees our writes */
  answer[pgas_self] = NOTHING;
  gasnet_AMRequestShort3(pgas_rank_of(lock.thread), PGAS_LOCK_RETURN, high_of(lock.addr), low_of(lock.addr),
                         (gasnet_handlerarg_t)pgas_me());
  GASNET_BLOCKUNTIL(answer[pgas_self] != NOTHING);
  next = turn_of[pgas_self];
  if (next) gasnet_AMRequestShort1(pgas_rank_of(next - 1), PGAS_LOCK_YOURS, (gasnet_handlerarg_t)pgas_index_of(next - 1));
}
