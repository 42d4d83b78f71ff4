// The library's self-tests find nothing wrong, in every mode and on every number of ranks.
// time: 120
// expect: exit 0; stderr /GASNet diagnostics A: atomics/
#include "check.h"
#include <gasnet_tools.h>

int main(int argc, char **argv) {
  gasnet_handlerentry_t *table;
  int count;
  gasnett_diagnostic_gethandlers(&table, &count);
  check_start(&argc, &argv, table, count, 1 << 20);
  CHECK_EQ(gasnett_run_diagnostics(20, 3, NULL, check_segs), 0);
  CHECK_EQ(gasnett_run_diagnostics(5, 1, "dh", check_segs), 0);
  return check_end();
}
