// Queries for the maximum number of threads, for handlers on threads of the library, and for verbose errors.
// ranks: 1 2
#include "check_ex.h"

int main(int argc, char **argv) {
  int before;
  check_init(&argc, &argv, 0);
#ifdef GASNET_SEQ
  CHECK_EQ(gex_System_QueryMaxThreads(), 1);
#else
  CHECK(gex_System_QueryMaxThreads() >= 2);
#endif
  if (GASNET_HIDDEN_AM_CONCURRENCY_LEVEL == 0) CHECK_EQ(gex_System_QueryHiddenAMConcurrencyLevel(), 0);
  before = gex_System_GetVerboseErrors();
  gex_System_SetVerboseErrors(0);
  CHECK_EQ(gex_System_GetVerboseErrors(), 0);
  gex_System_SetVerboseErrors(1);
  CHECK(gex_System_GetVerboseErrors() != 0);
  gex_System_SetVerboseErrors(before);
  CHECK_EQ(!gex_System_GetVerboseErrors(), !before);
  return check_end();
}
