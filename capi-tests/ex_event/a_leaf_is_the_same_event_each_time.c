// gex_Event_QueryLeaf gives the same leaf each time; a leaf may be tested again until its root is synchronised.
#include "check_ex.h"

int main(int argc, char **argv) {
  static char src[50100];
  gex_Rank_t r;
  int i;
  check_start(&argc, &argv, NULL, 0, MiB(1));
  r = next_rank();
  CHECK(gex_Event_Test(gex_Event_QueryLeaf(GEX_EVENT_INVALID, GEX_EC_LC)) == 0);
  for (i = 0; i < 200; i++) {
    gex_Event_t lc = GEX_EVENT_NO_OP, again;
    gex_Event_t root = gex_RMA_PutNB(world, r, seg(r), src, (size_t)(i * 250 + 1), &lc, 0);
    CHECK(root != GEX_EVENT_NO_OP && lc != GEX_EVENT_NO_OP);
    if (root == GEX_EVENT_INVALID) {
      CHECK(gex_Event_Test(lc) == 0);
      continue;
    }
    again = gex_Event_QueryLeaf(root, GEX_EC_LC);
    CHECK(!lc || !again || lc == again);
    if (i % 2) while (gex_Event_Test(lc)) gasnet_AMPoll();
    else gex_Event_Wait(lc);
    CHECK(gex_Event_Test(lc) == 0 && gex_Event_Test(again) == 0);
    gex_Event_Wait(lc);
    CHECK(gex_Event_TestAll(&again, 1, 0) == 0 && again == GEX_EVENT_INVALID);
    CHECK(gex_Event_TestSome(&lc, 1, 0) == 0 && lc == GEX_EVENT_INVALID);
    CHECK(gex_Event_Test(gex_Event_QueryLeaf(root, GEX_EC_LC)) == 0);
    gex_Event_Wait(root);
  }
  return check_end();
}
