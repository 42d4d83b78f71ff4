// gex_Segment_Create makes segments of memory of the library's, or of memory of the client's at any address; many at once.
// ranks: 1 2
#include "check_ex.h"

static char fixed[5000];

int main(int argc, char **argv) {
  gex_Segment_t of_library, of_client, many[100];
  char *at;
  int i;
  check_init(&argc, &argv, 0);
  MUST(gex_Segment_Create(&of_library, client, NULL, 10000, GEX_MK_HOST, 0) == GASNET_OK);
  CHECK(of_library != GEX_SEGMENT_INVALID);
  CHECK(gex_Segment_QuerySize(of_library) >= 10000);
  CHECK(gex_Segment_QueryClient(of_library) == client);
  CHECK_EQ(gex_Segment_QueryFlags(of_library), 0);
  CHECK(gex_Segment_QueryCData(of_library) == NULL);
  at = (char *)gex_Segment_QueryAddr(of_library);
  fill(at, gex_Segment_QuerySize(of_library), 3);
  CHECK(filled(at, gex_Segment_QuerySize(of_library), 3));
  MUST(gex_Segment_Create(&of_client, client, fixed + 13, 4001, GEX_MK_HOST, 0) == GASNET_OK);
  CHECK(gex_Segment_QueryAddr(of_client) == (void *)(fixed + 13));
  CHECK_EQ(gex_Segment_QuerySize(of_client), 4001);
  for (i = 0; i < COUNT_OF(many); i++) MUST(gex_Segment_Create(&many[i], client, NULL, KiB(64), GEX_MK_HOST, 0) == GASNET_OK);
  for (i = 0; i < COUNT_OF(many); i++) memset(gex_Segment_QueryAddr(many[i]), i, KiB(64));
  for (i = 0; i < COUNT_OF(many); i++) CHECK(all_bytes(gex_Segment_QueryAddr(many[i]), KiB(64), i));
  for (i = 0; i < COUNT_OF(many); i++) gex_Segment_Destroy(many[i], 0);
  gex_Segment_Destroy(of_library, 0);
  gex_Segment_Destroy(of_client, 0);
  return check_end();
}
