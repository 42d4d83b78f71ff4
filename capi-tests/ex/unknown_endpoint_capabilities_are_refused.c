// gex_EP_Create wants capabilities, and only those that there are.
// ranks: 1
#include "check_ex.h"

int main(int argc, char **argv) {
  gex_EP_t ep = GEX_EP_INVALID;
  check_init(&argc, &argv, 0);
  gex_System_SetVerboseErrors(0);
  CHECK_EQ(gex_EP_Create(&ep, client, GEX_EP_CAPABILITY_ALL + 1, 0), GASNET_ERR_BAD_ARG);
  CHECK_EQ(gex_EP_Create(&ep, client, (gex_EP_Capabilities_t)0x80000000u | GEX_EP_CAPABILITY_RMA, 0), GASNET_ERR_BAD_ARG);
  CHECK_EQ(gex_EP_Create(&ep, client, 0, 0), GASNET_ERR_BAD_ARG);
  CHECK(ep == GEX_EP_INVALID);
  return check_end();
}
