// A debug client that replies twice or to a stale token, communicates in a handler or exceeds a limit is stopped with the call and its place.
// ranks: 1 2
// modes: par
// debug: yes
// every case: exit nonzero; stderr /@AT@/
// case request_in_handler: stderr /gasnet_AMRequestShort.*handler/
// case poll_in_handler: stderr /gasnet_AMPoll.*handler/
// case put_in_handler: stderr /gasnet_put.*handler/
// case get_val_in_handler: stderr /gasnet_get_val.*handler/
// case put_nb_in_handler: stderr /gasnet_put_nb.*handler/
// case memset_in_handler: stderr /gasnet_memset.*handler/
// case sync_in_handler: stderr /gasnet_wait_syncnbi_all.*handler/
// case barrier_in_handler: stderr /gasnet_barrier_notify.*handler/
// case two_replies: stderr /gasnet_AMReply.*(twice|second|already|one)/
// case reply_index_reserved: stderr /gasnet_AMReplyShort.*(handler|index)/
// case reply_medium_too_large: stderr /gasnet_AMReplyMedium.*(nbytes|byte|max)/
// case reply_long_outside: stderr /gasnet_AMReplyLong.*(segment|0x)/
// case reply_in_reply: stderr /gasnet_AMReply.*repl/
// case request_in_reply: stderr /gasnet_AMRequestShort.*handler/
// case stale_token: stderr /gasnet_AMReplyShort.*token/
// case stale_token_source: stderr /gasnet_AMGetMsgSource.*token/
// case null_token: stderr /gasnet_AMGetMsgSource.*token/
// case medium_too_large: stderr /gasnet_AMRequestMedium.*(nbytes|byte|max)/
// case index_reserved: stderr /gasnet_AMRequestShort.*(handler|index)/
#include "misuse.h"

static gasnet_token_t kept;
static volatile int replies;
static char huge[MiB(1)];
static void request(gasnet_token_t t) {
  kept = t;
  MISUSE("request_in_handler", gasnet_AMRequestShort0(0, 201));
  MISUSE("poll_in_handler", gasnet_AMPoll());
  MISUSE("put_in_handler", gasnet_put(me, seg(me), seg(me), 8));
  MISUSE("get_val_in_handler", gasnet_get_val(me, seg(me), 8));
  MISUSE("put_nb_in_handler", gasnet_put_nb(me, seg(me), seg(me), 8));
  MISUSE("memset_in_handler", gasnet_memset(me, seg(me), 0, 8));
  MISUSE("sync_in_handler", gasnet_wait_syncnbi_all());
  MISUSE("barrier_in_handler", gasnet_barrier_notify(0, 0));
  MISUSE("two_replies", gasnet_AMReplyShort0(t, 201); gasnet_AMReplyShort0(t, 201));
  MISUSE("reply_index_reserved", gasnet_AMReplyShort0(t, 5));
  MISUSE("reply_medium_too_large", gasnet_AMReplyMedium0(t, 202, huge, gasnet_AMMaxMedium() + 1));
  MISUSE("reply_long_outside", gasnet_AMReplyLong0(t, 202, huge, 64, seg(0) + seg_size(0) - 8));
  gasnet_AMReplyShort0(t, 201);
}
static void reply(gasnet_token_t t) {
  MISUSE("reply_in_reply", gasnet_AMReplyShort0(t, 201));
  MISUSE("request_in_reply", gasnet_AMRequestShort0(0, 201));
  (void)t;
  replies++;
}
static void mreply(gasnet_token_t t, void *b, size_t n) { (void)t, (void)b, (void)n; replies++; }

int main(int argc, char **argv) {
  gasnet_handlerentry_t table[] = { HANDLER(200, request), HANDLER(201, reply), HANDLER(202, mreply) };
  check_init(&argc, &argv);
  misuse_begin(argc, argv);
  check_attach(table, 3, KiB(64));
  if (me == 0) gasnet_AMRequestShort0(nranks - 1, 200);
  if (me == 0) GASNET_BLOCKUNTIL(replies > 0);
  barrier();
  if (me == nranks - 1) {
    MISUSE("never", (void)0);
    MISUSE("stale_token", gasnet_AMReplyShort0(kept, 201));
    MISUSE("stale_token_source", { gasnet_node_t s; gasnet_AMGetMsgSource(kept, &s); });
    MISUSE("null_token", { gasnet_node_t s; gasnet_AMGetMsgSource((gasnet_token_t)0, &s); });
    MISUSE("medium_too_large", gasnet_AMRequestMedium0(0, 202, huge, gasnet_AMMaxMedium() + 1));
    MISUSE("index_reserved", gasnet_AMRequestShort0(0, 5));
  }
  return check_end();
}
