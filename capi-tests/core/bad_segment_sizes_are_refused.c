// A segment size that is no page multiple, or above the maximum, makes attach return an error, with no crash.
// ranks: 1 2
// case unaligned: exit 0; chatter
// case huge: exit 0; chatter
#include "check.h"

int main(int argc, char **argv) {
  int unaligned;
  int rc;
  check_init(&argc, &argv);
  unaligned = argc > 1 && strcmp(argv[1], "unaligned") == 0;
  rc = gasnet_attach(NULL, 0, unaligned ? GASNET_PAGESIZE + 1 : ~(uintptr_t)0 / GASNET_PAGESIZE * GASNET_PAGESIZE, 0);
  CHECK_EQ(rc, GASNET_ERR_BAD_ARG);
  check_attach(NULL, 0, GASNET_PAGESIZE);
  return check_end();
}
