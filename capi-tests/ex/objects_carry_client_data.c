// Clients, endpoints, teams and segments hold one pointer of the client's each, NULL at first.
// ranks: 1 2
#include "check_ex.h"

#define HOLDS(Kind, object) \
  do { \
    int a, b; \
    CHECK(gex_##Kind##_QueryCData(object) == NULL); \
    gex_##Kind##_SetCData(object, &a); \
    CHECK(gex_##Kind##_QueryCData(object) == (void *)&a); \
    gex_##Kind##_SetCData(object, &b); \
    CHECK(gex_##Kind##_QueryCData(object) == (void *)&b); \
  } while (0)

int main(int argc, char **argv) {
  gex_TM_t part;
  check_start(&argc, &argv, NULL, 0, KiB(64));
  HOLDS(Client, client);
  HOLDS(EP, endpoint);
  HOLDS(TM, world);
  HOLDS(Segment, segment);
  gex_TM_Split(&part, world, 0, 0, NULL, 0, GEX_FLAG_TM_NO_SCRATCH);
  HOLDS(TM, part);
  gex_TM_Destroy(part, NULL, 0);
  return check_end();
}
