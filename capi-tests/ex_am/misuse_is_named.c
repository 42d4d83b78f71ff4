// Misuse of GASNet-EX messages by a debug client is reported in one line with the call and its place.
// ranks: 1 2
// modes: par
// debug: yes
// every case: exit nonzero; stderr /@AT@/
// case request_in_handler: stderr /gex_AM_RequestShort.*handler/
// case two_replies: stderr /gex_AM_ReplyShort.*second/
// case reply_in_reply: stderr /gex_AM_ReplyMedium.*reply handler/
// case stale_token: stderr /gex_AM_ReplyShort.*token/
// case stale_token_info: stderr /gex_Token_Info.*token/
// case token_info_unknown: stderr /gex_Token_Info.*mask/
// case index_reserved: stderr /gex_AM_RequestShort.*handler 5/
// case null_team: stderr /gex_AM_RequestShort.*tm/
// case rank_outside: stderr /gex_AM_RequestMedium.*rank/
// case medium_too_large: stderr /gex_AM_RequestMedium.*nbytes/
// case long_outside: stderr /gex_AM_RequestLong.*outside/
// case lc_defer: stderr /gex_AM_RequestMedium.*GEX_EVENT_DEFER/
// case lc_null: stderr /gex_AM_RequestLong.*lc_opt is NULL/
// case lc_group_in_reply: stderr /gex_AM_ReplyMedium.*GEX_EVENT_GROUP/
// case never_self: stderr /gex_AM_RequestShort.*NEVER_SELF/
// case nested: stderr /gex_AM_PrepareRequestMedium.*(prepared|between)/
// case request_between: stderr /gex_AM_RequestShort.*between Prepare and Commit/
// case poll_between: stderr /gasnet_AMPoll.*between Prepare and Commit/
// case reply_between: stderr /gex_AM_ReplyShort.*between Prepare and Commit/
// case commit_twice: stderr /gex_AM_CommitRequestMedium.*stale/
// case commit_null: stderr /gex_AM_CommitRequestMedium.*NO_OP/
// case commit_other_kind: stderr /gex_AM_CommitRequestLong.*PrepareRequestMedium/
// case commit_too_much: stderr /gex_AM_CommitRequestMedium.*nbytes 101/
// case commit_other_nargs: stderr /gex_AM_CommitRequestMedium.*arguments/
// case commit_other_dest: stderr /gex_AM_CommitRequestLong.*dest_addr/
// case cancel_twice: stderr /gex_AM_CancelRequestMedium.*stale/
// case addr_stale: stderr /gex_AM_SrcDescAddr.*stale/
// case least_too_large: stderr /gex_AM_PrepareRequestMedium.*least_payload/
// case most_below_least: stderr /gex_AM_PrepareRequestMedium.*most_payload/
// case most_below_the_limit: stderr /gex_AM_PrepareRequestMedium.*most_payload 7 is below least_payload/
// case lc_without_buffer: stderr /gex_AM_PrepareRequestMedium.*lc_opt/
// case entry_flags: stderr /gex_EP_RegisterHandlers.*gex_flags/
// case too_many_args: stderr /gex_AM_PrepareRequestMedium.*numargs/
#include "check_ex.h"
#include "debug/misuse.h"

static gex_Token_t kept;
static volatile int replies;
static char huge[MiB(1)];
static gex_AM_SrcDesc_t sd;
static void request(gex_Token_t t) {
  gex_Token_Info_t info;
  kept = t;
  MISUSE("request_in_handler", gex_AM_RequestShort0(world, 0, 201, 0));
  MISUSE("two_replies", gex_AM_ReplyShort0(t, 201, 0); gex_AM_ReplyShort0(t, 201, 0));
  MISUSE("lc_group_in_reply", gex_AM_ReplyMedium0(t, 202, huge, 4, GEX_EVENT_GROUP, 0));
  MISUSE("token_info_unknown", gex_Token_Info(t, &info, 0x80));
  MISUSE("reply_between", gex_AM_PrepareReplyMedium(t, NULL, 8, 8, NULL, 0, 0); gex_AM_ReplyShort(t, 201, 0));
  gex_AM_ReplyShort0(t, 201, 0);
}
static void reply(gex_Token_t t) {
  MISUSE("reply_in_reply", gex_AM_ReplyMedium0(t, 202, huge, 4, GEX_EVENT_NOW, 0));
  (void)t;
  replies++;
}
static void mreply(gex_Token_t t, void *b, size_t n) { (void)t, (void)b, (void)n; }
#define PREPARE() (sd = gex_AM_PrepareRequestMedium(world, 0, NULL, 100, 100, NULL, 0, 0))

int main(int argc, char **argv) {
  gex_AM_Entry_t table[] = { CHECK_AM(200, request, SHORT, REQUEST, 0), CHECK_AM(201, reply, SHORT, REPLY, 0), CHECK_AM(202, mreply, MEDLONG, REQREP, 0) };
  gex_AM_Entry_t odd = { 0, (gex_AM_Fn_t)reply, GEX_FLAG_AM_SHORT, 0, NULL, NULL };
  gex_Token_Info_t info;
  check_init(&argc, &argv, 0);
  misuse_begin(argc, argv);
  check_attach(table, 3, KiB(64));
  if (me == 0) gex_AM_RequestShort0(world, nranks - 1, 200, 0);
  if (me == 0) GASNET_BLOCKUNTIL(replies > 0);
  barrier();
  if (me == nranks - 1) {
    MISUSE("stale_token", gex_AM_ReplyShort0(kept, 201, 0));
    MISUSE("stale_token_info", gex_Token_Info(kept, &info, GEX_TI_ALL));
    MISUSE("index_reserved", gex_AM_RequestShort0(world, 0, 5, 0));
    MISUSE("null_team", gex_AM_RequestShort0(NULL, 0, 200, 0));
    MISUSE("rank_outside", gex_AM_RequestMedium0(world, nranks, 202, huge, 4, GEX_EVENT_NOW, 0));
    MISUSE("medium_too_large", gex_AM_RequestMedium0(world, 0, 202, huge, gex_AM_MaxRequestMedium(world, 0, GEX_EVENT_NOW, 0, 0) + 1, GEX_EVENT_NOW, 0));
    MISUSE("long_outside", gex_AM_RequestLong0(world, 0, 202, huge, 16, seg(0) + seg_size(0) - 8, GEX_EVENT_NOW, 0));
    MISUSE("lc_defer", gex_AM_RequestMedium0(world, 0, 202, huge, 4, GEX_EVENT_DEFER, 0));
    MISUSE("lc_null", gex_AM_RequestLong0(world, 0, 202, huge, 4, seg(0), NULL, 0));
    MISUSE("never_self", gex_AM_RequestShort0(world, me, 200, GEX_FLAG_PEER_NEVER_SELF));
    MISUSE("nested", PREPARE(); PREPARE());
    MISUSE("request_between", PREPARE(); gex_AM_RequestShort0(world, 0, 201, 0));
    MISUSE("poll_between", PREPARE(); gasnet_AMPoll());
    MISUSE("commit_twice", PREPARE(); gex_AM_CommitRequestMedium0(sd, 202, 100); gex_AM_CommitRequestMedium0(sd, 202, 100));
    MISUSE("commit_null", gex_AM_CommitRequestMedium0(GEX_AM_SRCDESC_NO_OP, 202, 100));
    MISUSE("commit_other_kind", PREPARE(); gex_AM_CommitRequestLong0(sd, 202, 100, seg(0)));
    MISUSE("commit_too_much", PREPARE(); gex_AM_CommitRequestMedium0(sd, 202, 101));
    MISUSE("commit_other_nargs", PREPARE(); gex_AM_CommitRequestMedium1(sd, 202, 100, 1));
    MISUSE("commit_other_dest", sd = gex_AM_PrepareRequestLong(world, 0, NULL, 8, 8, seg(0), NULL, 0, 0); gex_AM_CommitRequestLong0(sd, 202, 8, seg(0) + 8));
    MISUSE("cancel_twice", PREPARE(); gex_AM_CancelRequestMedium(sd, 0); gex_AM_CancelRequestMedium(sd, 0));
    MISUSE("addr_stale", PREPARE(); gex_AM_CancelRequestMedium(sd, 0); gex_AM_SrcDescAddr(sd));
    MISUSE("least_too_large", gex_AM_PrepareRequestMedium(world, 0, NULL, MiB(1), MiB(1), NULL, 0, 0));
    MISUSE("most_below_least", gex_AM_PrepareRequestMedium(world, 0, NULL, 10, 9, NULL, 0, 0));
    MISUSE("most_below_the_limit", gex_AM_PrepareRequestMedium(world, 0, NULL, gex_AM_MaxRequestMedium(world, 0, NULL, 0, 0), 7, NULL, 0, 0));
    MISUSE("lc_without_buffer", gex_AM_PrepareRequestMedium(world, 0, NULL, 10, 10, GEX_EVENT_NOW, 0, 0));
    MISUSE("entry_flags", gex_EP_RegisterHandlers(endpoint, &odd, 1));
    MISUSE("too_many_args", gex_AM_PrepareRequestMedium(world, 0, NULL, 10, 10, NULL, 0, 17));
  }
  return check_end();
}
