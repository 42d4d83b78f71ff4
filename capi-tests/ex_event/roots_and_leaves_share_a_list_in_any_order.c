// A list may hold roots together with their leaves, in any order, and ends up all GEX_EVENT_INVALID.
#include "check_ex.h"

enum { N = 40, EACH = 6000 };

int main(int argc, char **argv) {
  static char src[N][EACH], dst[N][EACH];
  gex_Event_t list[2 * N + 3];
  uint64_t state = 42;
  int round, i;
  gex_Rank_t r;
  check_start(&argc, &argv, NULL, 0, MiB(1));
  r = next_rank();
  for (round = 0; round < 40; round++) {
    for (i = 0; i < N; i++) {
      fill(src[i], EACH, (unsigned)(i + round) + me);
      list[i] = gex_RMA_PutNB(world, r, seg(r) + i * EACH, src[i], EACH, &list[N + i], 0);
      if (list[N + i] == GEX_EVENT_INVALID && i % 3 == 0) list[N + i] = gex_Event_QueryLeaf(list[i], GEX_EC_LC);
    }
    for (; i < N + 3; i++) list[N + i] = GEX_EVENT_INVALID;
    for (i = 2 * N + 2; i > 0; i--) {
      int j = (int)(rnd(&state) % (unsigned)(i + 1));
      gex_Event_t t = list[i];
      list[i] = list[j], list[j] = t;
    }
    switch (round % 4) {
      case 0: gex_Event_WaitAll(list, 2 * N + 3, 0); break;
      case 1: while (gex_Event_TestAll(list, 2 * N + 3, 0)) gasnet_AMPoll(); break;
      default:
        for (;;) {
          int left = 0;
          if (round % 4 == 2) gex_Event_WaitSome(list, 2 * N + 3, 0);
          else while (gex_Event_TestSome(list, 2 * N + 3, 0)) gasnet_AMPoll();
          for (i = 0; i < 2 * N + 3; i++) left += list[i] != GEX_EVENT_INVALID;
          if (!left) break;
        }
    }
    for (i = 0; i < 2 * N + 3; i++) CHECK(list[i] == GEX_EVENT_INVALID);
    for (i = 0; i < N; i++) list[i] = gex_RMA_GetNB(world, dst[i], r, seg(r) + i * EACH, EACH, 0);
    gex_Event_WaitAll(list, N, 0);
    for (i = 0; i < N; i++) CHECK(filled(dst[i], EACH, (unsigned)(i + round) + me));
  }
  return check_end();
}
