// If ranks of a debug client call different collectives, or the same with different arguments, the error shows both calls and their places.
// ranks: 2
// modes: par
// debug: yes
// every case: exit nonzero; stderr /@AT@/
// case which: stderr /calls gasnet_coll_gather .*calls gasnet_coll_scatter |calls gasnet_coll_scatter .*calls gasnet_coll_gather /
// case nbytes: stderr /nbytes 8, .*nbytes 4, |nbytes 4, .*nbytes 8, /
// case root: stderr /root 0, .*root 1, |root 1, .*root 0, /
// case flags: stderr /flags 0x.*flags 0x/
// case order: stderr /collective 1 over a team differs/
// case barrier: stderr /calls gex_Coll_BarrierNB .*calls gasnet_coll_exchange |calls gasnet_coll_exchange .*calls gex_Coll_BarrierNB /
// case single: stderr /addresses differ/
// case part: stderr /collective 1 over a team differs.*(elem_count 3.*elem_count 5|elem_count 5.*elem_count 3)/
#include "../debug/misuse.h"
#include <gasnetex.h>
#include <gasnet_coll.h>

/* The ranks tell each other their calls without waiting, so a collective may complete before the other rank's call is known, above all over a
   network that loses packets: the objection comes while this rank polls, within the test's time limit. */
static void objection(void) {
  for (;;) gasnet_AMPoll();
}

static void add(void *results, size_t n, const void *left, size_t nleft, const void *right, size_t size, int flags, int arg) {
  size_t i;
  (void)nleft, (void)size, (void)flags, (void)arg;
  for (i = 0; i < n; i++) ((int *)results)[i] = ((const int *)left)[i] + ((const int *)right)[i];
}

int main(int argc, char **argv) {
  char a[64] = { 0 }, b[64], *c;
  int flags = GASNET_COLL_LOCAL | GASNET_COLL_IN_MYSYNC | GASNET_COLL_OUT_ALLSYNC;
  int more = GASNET_COLL_LOCAL | GASNET_COLL_IN_MYSYNC | GASNET_COLL_OUT_MYSYNC;
  gasnet_coll_fn_entry_t table[1] = { { add, 0 } };
  gasnet_team_handle_t part;
  check_start(&argc, &argv, NULL, 0, KiB(64));
  gasnet_coll_init(NULL, 0, table, 1, 0);
  part = gasnet_coll_team_split(GASNET_TEAM_ALL, 0, 1 - me, NULL);
  c = seg(me);
  misuse_begin(argc, argv);
  if (strcmp(misuse_case, "order") == 0) part = gasnet_coll_team_split(GASNET_TEAM_ALL, 0, me, NULL);
#define ALL_ GASNET_TEAM_ALL
#define DIFFERS(name, ...) MISUSE(name, __VA_ARGS__; objection())
  /* Both ranks are at the same line. */
  DIFFERS("which", if (me) gasnet_coll_gather(ALL_, 0, b, a, 8, flags); else gasnet_coll_scatter(ALL_, b, 0, a, 8, flags));
  DIFFERS("nbytes", gasnet_coll_broadcast(ALL_, b, 0, a, me ? 8 : 4, flags));
  DIFFERS("root", gasnet_coll_broadcast(ALL_, b, me, a, 8, flags));
  DIFFERS("flags", gasnet_coll_gather_all(ALL_, b, a, 8, me ? flags : more));
  DIFFERS("order", if (me) gasnet_coll_broadcast(part, b, 0, a, 8, flags); gasnet_coll_exchange(part, b, a, 8, flags); if (!me) gasnet_coll_broadcast(part, b, 0, a, 8, flags));
  DIFFERS("barrier", if (me) gex_Event_Wait(gex_Coll_BarrierNB(ALL_, 0)); else gasnet_coll_exchange(ALL_, b, a, 8, flags));
  DIFFERS("single", gasnet_coll_broadcast(ALL_, c + (me ? 8 : 16), 0, c, 8, flags - GASNET_COLL_LOCAL + GASNET_COLL_SINGLE));
  DIFFERS("part", gasnet_coll_reduce(part, 0, b, a, 0, 0, 4, me ? 3 : 5, 0, 0, flags));
  return check_end();
}
