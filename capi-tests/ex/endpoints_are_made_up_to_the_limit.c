// gex_EP_Create assigns each endpoint its own index, up to GASNET_MAXEPS including the primordial one; then it returns an error.
// ranks: 1 2
#include "check_ex.h"

static char taken[GASNET_MAXEPS];

int main(int argc, char **argv) {
  gex_EP_t ep = GEX_EP_INVALID;
  int i, rc;
  check_init(&argc, &argv, 0);
  gex_System_SetVerboseErrors(0);
  for (i = 1; i < GASNET_MAXEPS; i++) {
    MUST(gex_EP_Create(&ep, client, GEX_EP_CAPABILITY_ALL, 0) == GASNET_OK);
    CHECK(gex_EP_QueryIndex(ep) > 0 && gex_EP_QueryIndex(ep) < GASNET_MAXEPS && !taken[gex_EP_QueryIndex(ep)]);
    taken[gex_EP_QueryIndex(ep)] = 1;
    CHECK(gex_EP_QueryClient(ep) == client);
    CHECK(gex_EP_QuerySegment(ep) == GEX_SEGMENT_INVALID);
    CHECK(gex_EP_QueryCData(ep) == NULL);
  }
  ep = endpoint;
  rc = gex_EP_Create(&ep, client, GEX_EP_CAPABILITY_RMA, 0);
  CHECK_EQ(rc, GASNET_ERR_RESOURCE);
  CHECK(ep == endpoint);
  return check_end();
}
