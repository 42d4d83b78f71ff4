// gex_Segment_Create refuses no length, a range beyond the address space and an invalid kind, and leaves the output alone.
// ranks: 1
#include "check_ex.h"

int main(int argc, char **argv) {
  static char memory[64];
  gex_Segment_t made;
  check_init(&argc, &argv, 0);
  gex_System_SetVerboseErrors(0);
  memset(&made, 0x5a, sizeof made);
  CHECK_EQ(gex_Segment_Create(&made, client, NULL, 0, GEX_MK_HOST, 0), GASNET_ERR_BAD_ARG);
  CHECK_EQ(gex_Segment_Create(&made, client, memory, 0, GEX_MK_HOST, 0), GASNET_ERR_BAD_ARG);
  CHECK(gex_Segment_Create(&made, client, memory, ~(uintptr_t)0, GEX_MK_HOST, 0) != GASNET_OK);
  CHECK(gex_Segment_Create(&made, client, NULL, ~(uintptr_t)0, GEX_MK_HOST, 0) != GASNET_OK);
  CHECK(gex_Segment_Create(&made, client, NULL, (uintptr_t)1 << 60, GEX_MK_HOST, 0) != GASNET_OK);
  CHECK_EQ(gex_Segment_Create(&made, client, memory, sizeof memory, GEX_MK_INVALID, 0), GASNET_ERR_BAD_ARG);
  CHECK(all_bytes(&made, sizeof made, 0x5a));
  return check_end();
}
