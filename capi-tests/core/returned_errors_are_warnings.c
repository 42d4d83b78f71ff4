// A call that returns an error prints a line that begins as warnings do, with the rank; GASNET_QUIET does not suppress it.
// ranks: 1 3
// wrap: env $CASE
// case GASNET_QUIET=0: exit 0; stderr /^\*\*\* WARNING \(proc 0\): GASNet gasnet_attach returning an error code: GASNET_ERR_BAD_ARG/
// case GASNET_QUIET=1: exit 0; stderr /^\*\*\* WARNING \(proc 0\): GASNet gasnet_attach returning an error code: GASNET_ERR_BAD_ARG/
#include "check.h"

int main(int argc, char **argv) {
  check_init(&argc, &argv);
  CHECK_EQ(gasnet_attach(NULL, 0, GASNET_PAGESIZE + 1, 0), GASNET_ERR_BAD_ARG);
  check_attach(NULL, 0, GASNET_PAGESIZE);
  return check_end();
}
