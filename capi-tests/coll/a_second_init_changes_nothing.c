// In release clients a second gasnet_coll_init of an image is ignored, as are flags in the first, of which there are none.
// debug: no
// ranks: 1 2
// modes: par seq
#include "coll.h"

int main(int argc, char **argv) {
  uint64_t value, got;
  int i;
  check_start(&argc, &argv, NULL, 0, GASNET_PAGESIZE);
  for (i = 0; i < 3; i++) {
    gasnet_coll_init(NULL, 0, NULL, 0, 1);
    value = 10 * (uint64_t)i + me, got = 99;
    gasnet_coll_broadcast(GASNET_TEAM_ALL, &got, 0, &value, 8, GASNET_COLL_LOCAL | ALLALL);
    CHECK_EQ(got, 10 * (uint64_t)i);
  }
  return check_end();
}
