// gasnet_init(NULL, NULL) starts the job like any other.
#include "check.h"

int main(void) {
  CHECK(GASNET_NULL_ARGV_OK);
  check_start(NULL, NULL, NULL, 0, GASNET_PAGESIZE);
  CHECK(me < nranks);
  return check_end();
}
