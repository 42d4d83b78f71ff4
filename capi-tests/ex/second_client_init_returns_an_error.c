// A process has one client: a second gex_Client_Init, or a gasnet_init after it, returns an error and harms nothing.
// ranks: 1 2
// expect: chatter
#include <gasnet.h>

#include "check_ex.h"

int main(int argc, char **argv) {
  gex_Client_t again = GEX_CLIENT_INVALID;
  gex_EP_t ep = GEX_EP_INVALID;
  gex_TM_t tm = GEX_TM_INVALID;
  check_init(&argc, &argv, GEX_FLAG_USES_GASNET1);
  gex_System_SetVerboseErrors(0);
  CHECK(gex_Client_Init(&again, &ep, &tm, "AGAIN", &argc, &argv, 0) != GASNET_OK);
  CHECK(again == GEX_CLIENT_INVALID && ep == GEX_EP_INVALID && tm == GEX_TM_INVALID);
  CHECK(gasnet_init(&argc, &argv) != GASNET_OK);
  return check_end();
}
