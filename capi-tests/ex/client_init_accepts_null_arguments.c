// gex_Client_Init takes NULL for argc and argv if all ranks do, and gives a client, an endpoint and a team.
// ranks: 1 2 3
#include "check_ex.h"

int main(void) {
  CHECK_EQ(gex_Client_Init(&client, &endpoint, &world, "CLIENT_9", NULL, NULL, 0), GASNET_OK);
  me = gex_TM_QueryRank(world), nranks = gex_TM_QuerySize(world), check_rank = (int)me;
  CHECK(client != GEX_CLIENT_INVALID);
  CHECK(endpoint != GEX_EP_INVALID);
  CHECK(world != GEX_TM_INVALID);
  CHECK_EQ(strcmp(gex_Client_QueryName(client), "CLIENT_9"), 0);
  CHECK_EQ(gex_Client_QueryFlags(client), 0);
  CHECK_EQ(gex_EP_QueryIndex(endpoint), 0);
  CHECK_EQ(gex_EP_QueryFlags(endpoint), 0);
  CHECK(gex_EP_QueryClient(endpoint) == client);
  CHECK(gex_EP_QuerySegment(endpoint) == GEX_SEGMENT_INVALID);
  CHECK(gex_TM_QueryClient(world) == client);
  CHECK(gex_TM_QueryEP(world) == endpoint);
  CHECK_EQ(gex_TM_QueryFlags(world), 0);
  CHECK_EQ(me, gex_System_QueryJobRank());
  CHECK_EQ(nranks, gex_System_QueryJobSize());
  return check_end();
}
