// A message that its handler is not registered for, or that no handler is registered for, is named by the rank that it reaches.
// ranks: 1 2
// modes: par
// debug: yes
// every case: exit nonzero
// case category: stderr /AM Medium request from rank 0 .*handler 200/
// case kind: stderr /AM Short request from rank 0 .*handler 201/
// case nargs: stderr /AM Short request from rank 0 has 2 arguments.*handler 200.*gex_nargs 1/
// case nobody: stderr /AM request from rank 0 names handler 230/
// case open_reply: stderr /gex_AM_PrepareReply.*handler 203.*without Commit/
#include "check_ex.h"

static void one(gex_Token_t t, gex_AM_Arg_t a) { (void)t, (void)a; CHECK(!"handled"); }
static void rep(gex_Token_t t) { (void)t; CHECK(!"handled"); }
static void open_reply(gex_Token_t t) { gex_AM_PrepareReplyMedium(t, NULL, 3000, 3000, NULL, 0, 0); }

int main(int argc, char **argv) {
  gex_AM_Entry_t table[] = { CHECK_AM(200, one, SHORT, REQUEST, 1), CHECK_AM(201, rep, SHORT, REPLY, 0), CHECK_AM(203, open_reply, SHORT, REQUEST, 0) };
  const char *what;
  gex_Rank_t to;
  check_start(&argc, &argv, table, 3, KiB(64));
  what = argc > 1 ? argv[1] : "", to = nranks - 1;
  if (me == 0) {
    if (!strcmp(what, "category")) gex_AM_RequestMedium1(world, to, 200, NULL, 0, GEX_EVENT_NOW, 0, 5);
    if (!strcmp(what, "kind")) gex_AM_RequestShort0(world, to, 201, 0);
    if (!strcmp(what, "nargs")) gex_AM_RequestShort2(world, to, 200, 0, 5, 6);
    if (!strcmp(what, "nobody")) gex_AM_RequestShort0(world, to, 230, 0);
    if (!strcmp(what, "open_reply")) gex_AM_RequestShort0(world, to, 203, 0);
  }
  for (;;) gasnet_AMPoll();
}
