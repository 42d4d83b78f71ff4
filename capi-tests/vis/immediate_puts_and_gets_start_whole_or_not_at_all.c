// With GEX_FLAG_IMMEDIATE a transfer is either started, or reported as not started and without effect; if a peer does not poll, calls are rejected eventually, or all transfers are started.
#include "vis.h"

enum { N = 64, PIECE = 500, TRIES = 3000 };
int main(int argc, char **argv) {
  static gex_Memvec_t there[N], here[N];
  static char source[N * PIECE], back[N * PIECE];
  gex_Event_t event;
  int i, refused = 0, started = 0;
  vis_start(&argc, &argv, NULL, 0, MiB(1));
  fill(source, sizeof source, 3 + me);
  for (i = 0; i < N; i++) {
    there[i].gex_addr = seg(next_rank()) + i * (PIECE + 12), here[i].gex_addr = source + i * PIECE;
    there[i].gex_len = here[i].gex_len = PIECE;
  }
  for (i = 0; i < TRIES; i++) {
    if (i % 2) {
      event = gex_VIS_VectorPutNB(tm, next_rank(), N, there, N, here, GEX_FLAG_IMMEDIATE);
      if (event == GEX_EVENT_NO_OP) refused++;
      else started++, gex_Event_Wait(event);
    } else if (gex_VIS_VectorPutNBI(tm, next_rank(), N, there, N, here, GEX_FLAG_IMMEDIATE)) refused++;
    else started++;
  }
  gex_NBI_Wait(GEX_EC_ALL, 0);
  CHECK_EQ(refused + started, TRIES);
  for (i = 0; i < N; i++) here[i].gex_addr = back + i * PIECE;
  do {
    event = gex_VIS_VectorGetNB(tm, N, here, next_rank(), N, there, GEX_FLAG_IMMEDIATE);
    if (event == GEX_EVENT_NO_OP) gasnet_AMPoll();
  } while (event == GEX_EVENT_NO_OP);
  gex_Event_Wait(event);
  CHECK(memcmp(source, back, sizeof back) == 0);
  memset(back, 0, sizeof back);
  while (gex_VIS_VectorGetBlocking(tm, N, here, next_rank(), N, there, GEX_FLAG_IMMEDIATE)) gasnet_AMPoll();
  CHECK(memcmp(source, back, sizeof back) == 0);
  return check_end();
}
