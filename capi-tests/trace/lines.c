// A client compiled with -DGASNET_TRACE leaves the line of each call, unless lines are frozen, set or masked out.
// ranks: 2
// once: yes
// cflags: -DGASNET_TRACE
// wrap: bash $here/trace/judge
// case calls_have_their_lines: exit 0
// case lines_may_be_left_out: exit 0
// case lines_may_be_set_and_frozen: exit 0
#include "check.h"
#include <gasnet_tools.h>

int main(int argc, char **argv) {
  const char *file;
  unsigned line;
  char buf[8] = {0};
  check_start(&argc, &argv, NULL, 0, GASNET_PAGESIZE);
#line 77 "here.c"
  gasnet_put(next_rank(), seg(next_rank()), buf, 8);
  GASNETT_TRACE_SETSOURCELINE("users.upc", 5);
  GASNETT_TRACE_FREEZESOURCELINE();
  gasnet_get(buf, next_rank(), seg(next_rank()), 8);
  GASNETT_TRACE_GETSOURCELINE(&file, &line);
  CHECK(!strcmp(file, "users.upc"));
  CHECK_EQ(line, 5);
  GASNETT_TRACE_UNFREEZESOURCELINE();
  gasnet_put_val(next_rank(), seg(next_rank()), 1, 4);
  return check_end();
}
