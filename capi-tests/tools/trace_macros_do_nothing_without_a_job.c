// Without a trace the macros evaluate as statements and expressions, and the masks are empty.
// ranks: 1
// cflags: -pedantic
#include "tools_check.h"

static void at_dump(void (*print)(const char *, ...)) { (void)print; }

int main(void) {
  const char *file = NULL, *format = "%s";
  unsigned line = 7;
  int steps = 0;
  GASNETT_TRACE_GETSOURCELINE(&file, &line);
  CHECK(file != NULL);
  GASNETT_TRACE_SETSOURCELINE(file, line);
  GASNETT_TRACE_FREEZESOURCELINE();
  GASNETT_TRACE_UNFREEZESOURCELINE();
  CHECK(!GASNETT_TRACE_ENABLED);
  GASNETT_TRACE_PRINTF("%d", 1);
  GASNETT_TRACE_PRINTF(format, "x");
  GASNETT_TRACE_PRINTF_FORCE("nothing");
  GASNETT_STATS_PRINTF("%d", 1);
  GASNETT_STATS_PRINTF_FORCE("nothing");
  CHECK(!*GASNETT_TRACE_GETMASK() && !*GASNETT_STATS_GETMASK());
  GASNETT_TRACE_SETMASK(GASNETT_TRACE_GETMASK());
  GASNETT_STATS_SETMASK(GASNETT_STATS_GETMASK());
  GASNETT_TRACE_SET_TRACELOCAL(GASNETT_TRACE_GET_TRACELOCAL());
  CHECK_EQ(GASNETT_STATS_INIT(at_dump), 0);
  GASNETT_STATS_DUMP(1);
  (steps++, GASNETT_TRACE_SETSOURCELINE(__FILE__, __LINE__));
  CHECK_EQ(steps, 1);
  return check_end();
}
