// What gasnett_setenv sets, this process's look-ups see; gasnett_unsetenv removes it.
// ranks: 1 2
#include "check.h"
#include <gasnet_tools.h>

int main(int argc, char **argv) {
  gasnett_setenv("CAPI_SET", "early");
  CHECK(strcmp(gasnett_getenv("CAPI_SET"), "early") == 0);
  check_start(&argc, &argv, NULL, 0, 0);
  CHECK(strcmp(gasnet_getenv("CAPI_SET"), "early") == 0);
  gasnett_setenv("CAPI_SET", "7");
  CHECK(strcmp(gasnett_getenv("CAPI_SET"), "7") == 0);
  CHECK(strcmp(getenv("CAPI_SET"), "7") == 0);
  CHECK_EQ(gasnett_getenv_int_withdefault("CAPI_SET", 0, 0), 7);
  gasnett_unsetenv("CAPI_SET");
  CHECK(gasnett_getenv("CAPI_SET") == NULL);
  return check_end();
}
