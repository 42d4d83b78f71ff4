// gex_Token_Info returns the sender, the receiving endpoint, the handler's table entry, and the category of the message.
#include "check_ex.h"

static const int cdata[6] = { 0, 1, 2, 3, 4, 5 };
static volatile int hits;
static void common(gex_Token_t t, gex_Rank_t source, int at, int is_req, int is_long, void (*fn)(void));
static void sreq(gex_Token_t t, gex_AM_Arg_t from) { common(t, (gex_Rank_t)from, 0, 1, 0, (void (*)(void))sreq); gex_AM_ReplyShort0(t, 201, 0); }
static void srep(gex_Token_t t) { common(t, next_rank(), 1, 0, 0, (void (*)(void))srep); hits++; }
static void mreq(gex_Token_t t, void *b, size_t n, gex_AM_Arg_t from) {
  (void)b, (void)n;
  common(t, (gex_Rank_t)from, 2, 1, 0, (void (*)(void))mreq);
  gex_AM_ReplyMedium0(t, 203, NULL, 0, GEX_EVENT_NOW, 0);
}
static void mrep(gex_Token_t t, void *b, size_t n) { (void)b, (void)n; common(t, next_rank(), 3, 0, 0, (void (*)(void))mrep); hits++; }
static void lreq(gex_Token_t t, void *b, size_t n, gex_AM_Arg_t from) {
  (void)n;
  CHECK(b == seg(me) + 8);
  common(t, (gex_Rank_t)from, 4, 1, 1, (void (*)(void))lreq);
  gex_AM_ReplyLong0(t, 205, NULL, 0, (void *)(uintptr_t)0x1234567, GEX_EVENT_NOW, 0);
}
/* The destination arrives as it was given, with no bytes to go there. */
static void lrep(gex_Token_t t, void *b, size_t n) {
  CHECK(n == 0 && b == (void *)(uintptr_t)0x1234567);
  common(t, next_rank(), 5, 0, 1, (void (*)(void))lrep);
  hits++;
}
static gex_AM_Entry_t table[] = {
  { 200, (gex_AM_Fn_t)sreq, GEX_FLAG_AM_REQUEST | GEX_FLAG_AM_SHORT, 1, &cdata[0], "sreq" },
  { 201, (gex_AM_Fn_t)srep, GEX_FLAG_AM_REPLY | GEX_FLAG_AM_SHORT, 0, &cdata[1], "srep" },
  { 202, (gex_AM_Fn_t)mreq, GEX_FLAG_AM_REQUEST | GEX_FLAG_AM_MEDIUM, 1, &cdata[2], "mreq" },
  { 203, (gex_AM_Fn_t)mrep, GEX_FLAG_AM_REPLY | GEX_FLAG_AM_MEDLONG, 0, &cdata[3], "mrep" },
  { 204, (gex_AM_Fn_t)lreq, GEX_FLAG_AM_REQREP | GEX_FLAG_AM_LONG, 1, &cdata[4], "lreq" },
  { 205, (gex_AM_Fn_t)lrep, GEX_FLAG_AM_REPLY | GEX_FLAG_AM_LONG, 0, &cdata[5], "lrep" },
};
static void common(gex_Token_t t, gex_Rank_t source, int at, int is_req, int is_long, void (*fn)(void)) {
  gex_Token_Info_t info;
  gex_TI_t told = gex_Token_Info(t, &info, GEX_TI_ALL);
  CHECK((told & (GEX_TI_SRCRANK | GEX_TI_EP)) == (GEX_TI_SRCRANK | GEX_TI_EP));
  CHECK_EQ(info.gex_srcrank, source);
  CHECK(info.gex_ep == endpoint);
  if (told & GEX_TI_IS_REQ) CHECK_EQ(!!info.gex_is_req, is_req);
  if (told & GEX_TI_IS_LONG) CHECK_EQ(!!info.gex_is_long, is_long);
  if (told & GEX_TI_ENTRY) {
    CHECK_EQ(info.gex_entry->gex_index, 200 + at);
    CHECK(info.gex_entry->gex_fnptr == (gex_AM_Fn_t)fn);
    CHECK_EQ(info.gex_entry->gex_flags, table[at].gex_flags);
    CHECK_EQ(info.gex_entry->gex_nargs, table[at].gex_nargs);
    CHECK(info.gex_entry->gex_cdata == &cdata[at]);
    CHECK(info.gex_entry->gex_name == table[at].gex_name);
  }
  if (is_req) CHECK(gex_Token_MaxReplyMedium(t, GEX_EVENT_NOW, 0, 3) >= 512 && gex_Token_MaxReplyLong(t, GEX_EVENT_NOW, 0, 3) >= 512);
}

int main(int argc, char **argv) {
  check_start(&argc, &argv, table, COUNT_OF(table), KiB(64));
  gex_AM_RequestShort1(world, next_rank(), 200, 0, (gex_AM_Arg_t)me);
  gex_AM_RequestMedium1(world, next_rank(), 202, NULL, 0, GEX_EVENT_NOW, 0, (gex_AM_Arg_t)me);
  gex_AM_RequestLong1(world, next_rank(), 204, NULL, 0, seg(next_rank()) + 8, GEX_EVENT_NOW, 0, (gex_AM_Arg_t)me);
  GASNET_BLOCKUNTIL(hits == 3);
  return check_end();
}
