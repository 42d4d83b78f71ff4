// A second gasnet_init returns an error and changes nothing.
// ranks: 1 2
// expect: exit 0; chatter
#include "check.h"

int main(int argc, char **argv) {
  check_init(&argc, &argv);
  CHECK(gasnet_init(&argc, &argv) != GASNET_OK);
  CHECK_EQ(gasnet_nodes(), nranks);
  CHECK_EQ(gasnet_mynode(), me);
  check_attach(NULL, 0, GASNET_PAGESIZE);
  CHECK(gasnet_init(&argc, &argv) != GASNET_OK);
  return check_end();
}
