/* Many gets of bulk data at once, whose requests are more than the receives that a rank keeps posted. */
#include <gasnetex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GETS = 256, BYTES = 64 << 10, ROUNDS = 8 };

int main(int argc, char **argv) {
  gex_Client_t client;
  gex_EP_t ep;
  gex_TM_t all;
  gex_Segment_t segment;
  void *mine, *theirs;
  char *to = malloc((size_t)GETS * BYTES);
  gex_Client_Init(&client, &ep, &all, "gets", &argc, &argv, 0);
  gex_Segment_Attach(&segment, all, BYTES);
  gex_Rank_t me = gex_TM_QueryRank(all), peer = (me + 1) % gex_TM_QuerySize(all);
  gex_Event_Wait(gex_EP_QueryBoundSegmentNB(all, me, &mine, NULL, NULL, 0));
  gex_Event_Wait(gex_EP_QueryBoundSegmentNB(all, peer, &theirs, NULL, NULL, 0));
  memset(mine, 'a' + (int)me, BYTES);
  gex_Event_Wait(gex_Coll_BarrierNB(all, 0));
  for (int round = 0; round < ROUNDS; round++) {
    memset(to, 0, (size_t)GETS * BYTES);
    for (int i = 0; i < GETS; i++) gex_RMA_GetNBI(all, to + (size_t)i * BYTES, peer, theirs, BYTES, 0);
    gex_NBI_Wait(GEX_EC_GET, 0);
    for (size_t i = 0; i < (size_t)GETS * BYTES; i++)
      if (to[i] != 'a' + (int)peer) abort();
  }
  gex_Event_Wait(gex_Coll_BarrierNB(all, 0));
  printf("rank %d ok\n", (int)me);
  fflush(stdout);
  gasnet_exit(0);
}
