// A debug client that breaks a rule of handler-safe locks or no-interrupt sections is stopped with HSL USAGE VIOLATION, the call and its place.
// ranks: 1 2
// modes: par
// debug: yes
// every case: exit nonzero; stderr /lock_misuse_is_named.c:[0-9]+/
// case unlock_unlocked: stderr /HSL USAGE VIOLATION.*unlock/
// case lock_twice: stderr /HSL USAGE VIOLATION.*lock/
// case trylock_own: stderr /HSL USAGE VIOLATION.*trylock/
// case destroy_locked: stderr /HSL USAGE VIOLATION.*destroy/
// case lock_destroyed: stderr /HSL USAGE VIOLATION.*lock/
// case unlock_destroyed: stderr /HSL USAGE VIOLATION.*unlock/
// case destroy_twice: stderr /HSL USAGE VIOLATION.*destroy/
// case init_twice: stderr /HSL USAGE VIOLATION.*init/
// case init_static: stderr /HSL USAGE VIOLATION.*init/
// case lock_without_init: stderr /HSL USAGE VIOLATION.*lock/
// case destroy_without_init: stderr /HSL USAGE VIOLATION.*destroy/
// case out_of_order: stderr /HSL USAGE VIOLATION.*/
// case null_lock: stderr /gasnet_hsl_lock/
// case poll_with_lock: stderr /HSL USAGE VIOLATION.*/
// case request_with_lock: stderr /HSL USAGE VIOLATION.*/
// case put_with_lock: stderr /HSL USAGE VIOLATION.*/
// case barrier_with_lock: stderr /HSL USAGE VIOLATION.*/
// case hold_twice: stderr /HSL USAGE VIOLATION.*hold/
// case resume_without_hold: stderr /HSL USAGE VIOLATION.*resume/
// case poll_while_held: stderr /HSL USAGE VIOLATION.*/
// case request_while_held: stderr /HSL USAGE VIOLATION.*/
// case put_while_held: stderr /HSL USAGE VIOLATION.*/
// case other_thread_unlocks: stderr /HSL USAGE VIOLATION.*unlock/
// case ends_with_lock: stderr /HSL USAGE VIOLATION: thread exit: the lock 0x[0-9a-f]+ is still held/
// case handler_keeps_lock: stderr /HSL USAGE VIOLATION.*/
// case reply_with_lock: stderr /HSL USAGE VIOLATION.*/
#include "misuse.h"

static gasnet_hsl_t a = GASNET_HSL_INITIALIZER, b = GASNET_HSL_INITIALIZER, c;
static volatile int hits;
static void unlock_it(int i) { (void)i; gasnet_hsl_unlock(&a); }
static void keep_it(int i) { (void)i; gasnet_hsl_lock(&a); }
static void request(gasnet_token_t t) {
  hits++;
  MISUSE("handler_keeps_lock", gasnet_hsl_lock(&a); return);
  MISUSE("reply_with_lock", gasnet_hsl_lock(&a); gasnet_AMReplyShort0(t, 201));
  (void)t;
}
static void reply(gasnet_token_t t) { (void)t; }

int main(int argc, char **argv) {
  gasnet_handlerentry_t table[] = { HANDLER(200, request), HANDLER(201, reply) };
  check_init(&argc, &argv);
  misuse_begin(argc, argv);
  check_attach(table, 2, KiB(64));
  MISUSE("unlock_unlocked", gasnet_hsl_unlock(&a));
  MISUSE("lock_twice", gasnet_hsl_lock(&a); gasnet_hsl_lock(&a));
  MISUSE("trylock_own", gasnet_hsl_lock(&a); gasnet_hsl_trylock(&a));
  MISUSE("destroy_locked", gasnet_hsl_lock(&a); gasnet_hsl_destroy(&a));
  MISUSE("lock_destroyed", gasnet_hsl_destroy(&a); gasnet_hsl_lock(&a));
  MISUSE("unlock_destroyed", gasnet_hsl_destroy(&a); gasnet_hsl_unlock(&a));
  MISUSE("destroy_twice", gasnet_hsl_destroy(&a); gasnet_hsl_destroy(&a));
  MISUSE("init_twice", gasnet_hsl_init(&c); gasnet_hsl_init(&c));
  MISUSE("init_static", gasnet_hsl_init(&a));
  MISUSE("lock_without_init", gasnet_hsl_lock(&c));
  MISUSE("destroy_without_init", gasnet_hsl_destroy(&c));
  MISUSE("out_of_order", gasnet_hsl_lock(&a); gasnet_hsl_lock(&b); gasnet_hsl_unlock(&a));
  MISUSE("null_lock", gasnet_hsl_lock(NULL));
  MISUSE("poll_with_lock", gasnet_hsl_lock(&a); gasnet_AMPoll());
  MISUSE("request_with_lock", gasnet_hsl_lock(&a); gasnet_AMRequestShort0(0, 200));
  MISUSE("put_with_lock", gasnet_hsl_lock(&a); gasnet_put(0, seg(0), seg(me), 8));
  MISUSE("barrier_with_lock", gasnet_hsl_lock(&a); gasnet_barrier_notify(0, 0));
  MISUSE("hold_twice", gasnet_hold_interrupts(); gasnet_hold_interrupts());
  MISUSE("resume_without_hold", gasnet_resume_interrupts());
  MISUSE("poll_while_held", gasnet_hold_interrupts(); gasnet_AMPoll());
  MISUSE("request_while_held", gasnet_hold_interrupts(); gasnet_AMRequestShort0(0, 200));
  MISUSE("put_while_held", gasnet_hold_interrupts(); gasnet_put(0, seg(0), seg(me), 8));
  MISUSE("other_thread_unlocks", gasnet_hsl_lock(&a); on_threads(1, unlock_it));
  MISUSE("ends_with_lock", on_threads(1, keep_it));
  gasnet_AMRequestShort0(next_rank(), 200);
  GASNET_BLOCKUNTIL(hits > 0);
  return check_end();
}
