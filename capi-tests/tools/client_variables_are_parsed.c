// A client reads its own variables as text, yes/no, number, memory size or fraction, with a default if they are not set.
// ranks: 1 2
// env: CAPI_YES=yEs CAPI_NO=0 CAPI_INT=-0x10 CAPI_SIZE=1.5G CAPI_UNITLESS=3 CAPI_FLOAT=-1e4 CAPI_FRACTION=3/8 CAPI_EMPTY=
#include "check.h"
#include <gasnet_tools.h>

int main(int argc, char **argv) {
  static char fallback[] = "fallback";
  CHECK(strcmp(gasnett_getenv("CAPI_YES"), "yEs") == 0); /* before init, too */
  check_start(&argc, &argv, NULL, 0, 0);
  CHECK(strcmp(gasnett_getenv_withdefault("CAPI_YES", "no"), "yEs") == 0);
  CHECK(strcmp(gasnett_getenv_withdefault("CAPI_EMPTY", "full"), "") == 0);
  CHECK(gasnett_getenv_withdefault("CAPI_ABSENT", fallback) == fallback);
  CHECK(gasnett_getenv_withdefault("CAPI_ABSENT", NULL) == NULL);
  CHECK(gasnett_getenv("CAPI_ABSENT") == NULL);
  CHECK_EQ(gasnett_getenv_yesno_withdefault("CAPI_YES", 0), 1);
  CHECK_EQ(gasnett_getenv_yesno_withdefault("CAPI_NO", 1), 0);
  CHECK_EQ(gasnett_getenv_yesno_withdefault("CAPI_ABSENT", 1), 1);
  CHECK_EQ(gasnett_getenv_int_withdefault("CAPI_INT", 1, 0), -16);
  CHECK_EQ(gasnett_getenv_int_withdefault("CAPI_SIZE", 1, 1), (int64_t)3 << 29);
  CHECK_EQ(gasnett_getenv_int_withdefault("CAPI_UNITLESS", 1, 1024), 3072);
  CHECK_EQ(gasnett_getenv_int_withdefault("CAPI_ABSENT", -5, 1024), -5);
  CHECK(gasnett_getenv_dbl_withdefault("CAPI_FLOAT", 0) == -1e4);
  CHECK(gasnett_getenv_dbl_withdefault("CAPI_FRACTION", 0) == 0.375);
  CHECK(gasnett_getenv_dbl_withdefault("CAPI_ABSENT", 2.5) == 2.5);
  return check_end();
}
