// A client's variable that is no number, size, fraction or yes/no ends the program with one line that names it and its value.
// ranks: 1
// once: yes
// wrap: env $CASE
// case CAPI_YES=maybe: exit 134; stderr /FATAL ERROR.*CAPI_YES='maybe'.*YES, Y, 1/
// case CAPI_YES=: exit 134; stderr /CAPI_YES=''/
// case CAPI_INT=1K: exit 134; stderr /CAPI_INT='1K'/
// case CAPI_INT=99999999999999999999: exit 134; stderr /CAPI_INT/
// case CAPI_SIZE=1.5X: exit 134; stderr /CAPI_SIZE='1.5X'/
// case CAPI_FLOAT=1/0: exit 134; stderr /CAPI_FLOAT/
#include "check.h"
#include <gasnet_tools.h>

int main(int argc, char **argv) {
  check_start(&argc, &argv, NULL, 0, 0);
  gasnett_getenv_yesno_withdefault("CAPI_YES", 0);
  gasnett_getenv_int_withdefault("CAPI_INT", 1, 0);
  gasnett_getenv_int_withdefault("CAPI_SIZE", 1, 1);
  gasnett_getenv_dbl_withdefault("CAPI_FLOAT", 1);
  return check_end();
}
