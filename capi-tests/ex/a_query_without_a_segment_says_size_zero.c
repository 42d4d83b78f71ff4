// gex_EP_QueryBoundSegmentNB before attach returns size 0; the deprecated query fails and does not change its outputs.
// ranks: 1 2 3
#include "check_ex.h"

int main(int argc, char **argv) {
  char mark;
  void *owner = &mark, *local = &mark;
  uintptr_t size = 77;
  gex_Rank_t i;
  check_init(&argc, &argv, 0);
  for (i = 0; i < nranks; i++) {
    CHECK(gex_Segment_QueryBound(world, i, &owner, &local, &size) != 0);
    CHECK(owner == (void *)&mark && local == (void *)&mark && size == 77);
  }
  for (i = 0; i < nranks; i++) {
    size = 77;
    gex_Event_Wait(gex_EP_QueryBoundSegmentNB(world, i, NULL, NULL, &size, 0));
    CHECK_EQ(size, 0);
  }
  check_attach(NULL, 0, KiB(64));
  return check_end();
}
