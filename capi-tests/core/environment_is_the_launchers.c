// gasnet_getenv returns the launching side's environment on each rank.
// env: CAPI_A=first CAPI_EMPTY= CAPI_LONG='a b=c %0d'
#include "check.h"

int main(int argc, char **argv) {
  check_start(&argc, &argv, NULL, 0, 0);
  CHECK(gasnet_getenv("CAPI_A") && strcmp(gasnet_getenv("CAPI_A"), "first") == 0);
  CHECK(gasnet_getenv("CAPI_EMPTY") && strcmp(gasnet_getenv("CAPI_EMPTY"), "") == 0);
  CHECK(gasnet_getenv("CAPI_LONG") && strcmp(gasnet_getenv("CAPI_LONG"), "a b=c %0d") == 0);
  CHECK(gasnet_getenv("CAPI_ABSENT") == NULL);
  CHECK(getenv("CAPI_A") && strcmp(getenv("CAPI_A"), "first") == 0);
  return check_end();
}
