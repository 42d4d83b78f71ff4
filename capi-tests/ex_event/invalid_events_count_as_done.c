// GEX_EVENT_INVALID is 0 and complete, alone and in lists of nothing else, and in lists of no length.
#include "check_ex.h"

int main(int argc, char **argv) {
  gex_Event_t list[5] = {GEX_EVENT_INVALID, GEX_EVENT_INVALID, GEX_EVENT_INVALID, GEX_EVENT_INVALID, GEX_EVENT_INVALID};
  size_t n;
  check_start(&argc, &argv, NULL, 0, KiB(64));
  CHECK((uintptr_t)GEX_EVENT_INVALID == 0);
  CHECK(GEX_EVENT_NO_OP != GEX_EVENT_INVALID);
  CHECK(gex_Event_Test(GEX_EVENT_INVALID) == 0);
  gex_Event_Wait(GEX_EVENT_INVALID);
  for (n = 0; n <= 5; n++) {
    CHECK(gex_Event_TestAll(list, n, 0) == 0);
    CHECK(gex_Event_TestSome(list, n, 0) == 0);
    gex_Event_WaitAll(list, n, 0);
    gex_Event_WaitSome(list, n, 0);
  }
  CHECK(gex_NBI_Test(GEX_EC_ALL, 0) == 0);
  gex_NBI_Wait(GEX_EC_ALL, 0);
  gex_NBI_Wait(GEX_EC_PUT | GEX_EC_GET | GEX_EC_RMW | GEX_EC_AM, 0);
  gex_NBI_BeginAccessRegion(0);
  gex_Event_Wait(gex_NBI_EndAccessRegion(0));
  return check_end();
}
