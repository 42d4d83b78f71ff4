// A client that defines gasnet_max_segsize_str sets the default limit in the forms of GASNET_MAX_SEGSIZE.
// ranks: 2
// modes: par seq
#include "check.h"

const char *gasnet_max_segsize_str = "24MB/P";

int main(int argc, char **argv) {
  check_init(&argc, &argv);
  CHECK_EQ(gasnet_getMaxLocalSegmentSize(), 24u << 20);
  check_attach(NULL, 0, MiB(2));
  return check_end();
}
