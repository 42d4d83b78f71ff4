// GASNET_VERBOSEENV reports each variable that is looked up, once, with its value and whether that is the default; on rank 0 only.
// ranks: 2
// once: yes
// env: GASNET_VERBOSEENV=1 CAPI_SET=2K
// wrap: sh -c '"$0" "$@" 2>"$BUILD/verbose.$$"; code=$?; sort "$BUILD/verbose.$$" | uniq -c >&2; rm -f "$BUILD/verbose.$$"; exit $code'
// expect: exit 0; stderr / 1 ENV parameter: CAPI_SET = 2 KB$/; stderr / 1 ENV parameter: CAPI_ABSENT = 0.5 +.default.$/; stderr / 1 ENV parameter: CAPI_SHOWN = 3 +.default.$/; no-stderr / [2-9] ENV parameter/
#include "check.h"
#include <gasnet_tools.h>

int main(int argc, char **argv) {
  int i;
  check_start(&argc, &argv, NULL, 0, 0);
  CHECK_EQ(gasnett_verboseenv() != 0, me == 0);
  for (i = 0; i < 3; i++) {
    gasnett_getenv_int_withdefault("CAPI_SET", 1, 1);
    gasnett_getenv_dbl_withdefault("CAPI_ABSENT", 0.5);
  }
  gasnett_envint_display("CAPI_SHOWN", 3, 1, 0);
  return check_end();
}
