/* Some of everything that a network conduit does: messages of each size, puts and gets, a segment of another endpoint, barriers, teams,
 * collectives of both interfaces. */
#include <gasnetex.h>
#include <gasnet_coll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BIG = 1 << 20, HANDLER = 200 };
static gex_TM_t all;
static volatile int handled;

static void on_message(gex_Token_t token, void *bytes, size_t nbytes) {
  (void)token, (void)bytes, (void)nbytes;
  handled++;
}

static void barrier(gex_TM_t team) {
  gex_Event_Wait(gex_Coll_BarrierNB(team, 0));
  gasnet_barrier_notify(0, 0);
  if (gasnet_barrier_wait(0, 0) != GASNET_OK) abort();
}

static void collectives(gex_TM_t team, char *from, char *to) {
  const size_t sizes[] = {8, 65536};
  double one = 1, sum = 0;
  for (int i = 0; i < 2; i++) {
    gex_Event_Wait(gex_Coll_BroadcastNB(team, 0, to, from, sizes[i], 0));
    gex_Event_Wait(gex_Coll_ReduceToAllNB(team, to, from, GEX_DT_I64, 8, sizes[i] / 8, GEX_OP_ADD, NULL, NULL, 0));
    gex_Event_Wait(gex_Coll_ReduceToOneNB(team, 0, to, from, GEX_DT_I64, 8, sizes[i] / 8, GEX_OP_MAX, NULL, NULL, 0));
  }
  gex_Event_Wait(gex_Coll_ReduceToAllNB(team, &sum, &one, GEX_DT_DBL, sizeof one, 1, GEX_OP_ADD, NULL, NULL, 0));
  if (sum != gex_TM_QuerySize(team)) abort();
}

int main(int argc, char **argv) {
  gex_Client_t client;
  gex_EP_t ep;
  gex_Segment_t segment;
  gex_TM_t part;
  void *base;
  uintptr_t size;
  char *from = calloc(2, BIG), *to = calloc(2, BIG);
  gex_AM_Entry_t table[1];
  gex_Rank_t peer;
  gex_Client_Init(&client, &ep, &all, "traffic", &argc, &argv, 0);
  memset(table, 0, sizeof table);
  table[0].gex_index = HANDLER;
  table[0].gex_fnptr = (gex_AM_Fn_t)on_message;
  table[0].gex_flags = GEX_FLAG_AM_MEDLONG | GEX_FLAG_AM_REQUEST;
  gex_EP_RegisterHandlers(ep, table, 1);
  gex_Segment_Attach(&segment, all, 2 * BIG);
  peer = (gex_TM_QueryRank(all) + 1) % gex_TM_QuerySize(all);
  gex_Event_Wait(gex_EP_QueryBoundSegmentNB(all, peer, &base, NULL, &size, 0));
  barrier(all);
  for (int i = 0; i < 20; i++) {
    gex_AM_RequestMedium0(all, peer, HANDLER, from, 100, GEX_EVENT_NOW, 0);
    gex_AM_RequestLong0(all, peer, HANDLER, from, 300000, base, GEX_EVENT_NOW, 0);
  }
  GASNET_BLOCKUNTIL(handled == 40);
  for (size_t n = 8; n <= BIG; n *= 8) {
    gex_RMA_PutBlocking(all, peer, base, from, n, 0);
    gex_RMA_GetBlocking(all, to, peer, base, n, 0);
  }
  barrier(all);
  /* Memory that is registered after the start, and given up again. */
  if (gex_EP_Create(&ep, client, GEX_EP_CAPABILITY_RMA, 0) != GASNET_OK || gex_Segment_Create(&segment, client, to, 2 * BIG, GEX_MK_HOST, 0) != GASNET_OK ||
      gex_EP_BindSegment(ep, segment, 0) != GASNET_OK)
    abort();
  gex_Segment_Destroy(segment, 0);
  collectives(all, from, to);
  for (int i = 0; i < 2; i++) {
    gasnet_coll_gather_all(GASNET_TEAM_ALL, to, from, 8, GASNET_COLL_LOCAL | GASNET_COLL_IN_MYSYNC | GASNET_COLL_OUT_MYSYNC);
    gasnet_coll_exchange(GASNET_TEAM_ALL, to, from, 4096, GASNET_COLL_LOCAL | GASNET_COLL_IN_MYSYNC | GASNET_COLL_OUT_MYSYNC);
    gasnet_coll_gather(GASNET_TEAM_ALL, 0, to, from, 4096, GASNET_COLL_LOCAL | GASNET_COLL_IN_MYSYNC | GASNET_COLL_OUT_MYSYNC);
    gasnet_coll_scatter(GASNET_TEAM_ALL, to, 0, from, 4096, GASNET_COLL_LOCAL | GASNET_COLL_IN_MYSYNC | GASNET_COLL_OUT_MYSYNC);
  }
  /* All ranks in another order. */
  gex_TM_Split(&part, all, 0, -(int)gex_TM_QueryRank(all), NULL, 0, GEX_FLAG_TM_NO_SCRATCH);
  collectives(part, from, to);
  gex_TM_Destroy(part, NULL, 0);
  barrier(all);
  printf("rank %d ok\n", (int)gex_TM_QueryRank(all));
  fflush(stdout);
  gasnet_exit(0);
}
