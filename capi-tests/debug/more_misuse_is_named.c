// A debug client whose sizes wrap round, that waits in a handler or whose token travels is stopped with the call and its place.
// ranks: 2
// modes: par
// debug: yes
// every case: exit nonzero; stderr /@AT@/
// case put_wraps: stderr /gasnet_put_bulk.*(segment|0x)/
// case get_wraps: stderr /gasnet_get_bulk.*(segment|0x)/
// case memset_wraps: stderr /gasnet_memset.*(segment|0x)/
// case memset_nbi_outside: stderr /gasnet_memset_nbi.*(segment|0x)/
// case put_nb_val_outside: stderr /gasnet_put_nb_val.*(segment|0x)/
// case get_nb_val_outside: stderr /gasnet_get_nb_val.*(segment|0x)/
// case put_nbi_val_outside: stderr /gasnet_put_nbi_val.*(segment|0x)/
// case long_async_outside: stderr /gasnet_AMRequestLongAsync.*(segment|0x)/
// case long_before_segment: stderr /gasnet_AMRequestLong.*(segment|0x)/
// case wait_in_handler: stderr /gasnet_wait_syncnb_all.*handler/
// case region_in_handler: stderr /gasnet_begin_nbi_accessregion.*handler/
// case token_elsewhere: stderr /gasnet_AMReplyShort.*token/
// case medium_with_lock: stderr /HSL USAGE VIOLATION.*gasnet_AMRequestMedium/
// case get_while_held: stderr /HSL USAGE VIOLATION.*gasnet_get/
#include "misuse.h"

static char buf[64];
static gasnet_handle_t handle;
static gasnet_hsl_t lock = GASNET_HSL_INITIALIZER;
static void *reply_elsewhere(void *token) {
  MISUSE("token_elsewhere", gasnet_AMReplyShort0((gasnet_token_t)token, 201));
  return NULL;
}
static void request(gasnet_token_t t) {
  pthread_t thread;
  MISUSE("wait_in_handler", gasnet_wait_syncnb_all(&handle, 1));
  MISUSE("region_in_handler", gasnet_begin_nbi_accessregion());
  pthread_create(&thread, NULL, reply_elsewhere, (void *)t);
  pthread_join(thread, NULL);
  gasnet_AMReplyShort0(t, 201);
}
static volatile int replies;
static void reply(gasnet_token_t t) { (void)t, replies++; }

int main(int argc, char **argv) {
  gasnet_handlerentry_t table[] = { HANDLER(200, request), HANDLER(201, reply) };
  check_init(&argc, &argv);
  misuse_begin(argc, argv);
  check_attach(table, 2, KiB(64));
  char *end = seg(1) + seg_size(1);
  if (me == 0) {
    MISUSE("put_wraps", gasnet_put_bulk(1, seg(1), buf, (size_t)-8));
    MISUSE("get_wraps", gasnet_get_bulk(buf, 1, seg(1) + 16, (size_t)-8));
    MISUSE("memset_wraps", gasnet_memset(1, seg(1) + 64, 0, (size_t)-64));
    MISUSE("memset_nbi_outside", gasnet_memset_nbi(1, end - 8, 0, 9));
    MISUSE("put_nb_val_outside", gasnet_put_nb_val(1, end, 1, 1));
    MISUSE("get_nb_val_outside", gasnet_get_nb_val(1, end - 4, 8));
    MISUSE("put_nbi_val_outside", gasnet_put_nbi_val(1, seg(1) - 1, 1, 1));
    MISUSE("long_async_outside", gasnet_AMRequestLongAsync0(1, 200, buf, 64, end - 63));
    MISUSE("long_before_segment", gasnet_AMRequestLong0(1, 200, buf, 64, seg(1) - 64));
    MISUSE("medium_with_lock", gasnet_hsl_lock(&lock); gasnet_AMRequestMedium0(1, 200, buf, 8));
    MISUSE("get_while_held", gasnet_hold_interrupts(); gasnet_get(buf, 1, seg(1), 8));
    gasnet_AMRequestShort0(1, 200);
    GASNET_BLOCKUNTIL(replies > 0);
  }
  barrier();
  return check_end();
}
