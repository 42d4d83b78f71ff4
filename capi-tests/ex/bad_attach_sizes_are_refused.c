// gex_Segment_Attach wants a multiple of the page size, not 0; and once.
// ranks: 1 2
#include "check_ex.h"

int main(int argc, char **argv) {
  gex_Segment_t again = GEX_SEGMENT_INVALID;
  check_init(&argc, &argv, 0);
  gex_System_SetVerboseErrors(0);
  CHECK_EQ(gex_Segment_Attach(&again, world, 0), GASNET_ERR_BAD_ARG);
  CHECK_EQ(gex_Segment_Attach(&again, world, GASNET_PAGESIZE + 1), GASNET_ERR_BAD_ARG);
  check_attach(NULL, 0, GASNET_PAGESIZE);
  CHECK(gex_Segment_Attach(&again, world, GASNET_PAGESIZE) != GASNET_OK);
  CHECK(again == GEX_SEGMENT_INVALID);
  return check_end();
}
