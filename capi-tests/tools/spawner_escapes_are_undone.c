// A byte that a spawner wrote as %0 and two hexadecimal digits is read as that byte; the switch leaves it as it is.
// ranks: 1 2
// once: yes
// wrap: env $CASE CAPI_ESCAPED=a%020b%0zz%
// case GASNET_DISABLE_ENVDECODE=0: exit 0
// case GASNET_DISABLE_ENVDECODE=1: exit 0
#include "check.h"
#include <gasnet_tools.h>

int main(int argc, char **argv) {
  const char *want, *first;
  check_start(&argc, &argv, NULL, 0, 0);
  want = strcmp(getenv("GASNET_DISABLE_ENVDECODE"), "1") == 0 ? "a%020b%0zz%" : "a b%0zz%";
  first = gasnet_getenv("CAPI_ESCAPED");
  CHECK(strcmp(first, want) == 0);
  CHECK(strcmp(gasnett_getenv("CAPI_ESCAPED"), want) == 0);
  CHECK(strcmp(first, want) == 0); /* and stays */
  return check_end();
}
