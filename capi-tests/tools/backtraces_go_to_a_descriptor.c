// gasnett_print_backtrace writes to the descriptor; a mechanism that fails is followed by the next; the pointer may be redirected.
// ranks: 1 2
// env: GASNET_BACKTRACE_TYPE=MINE,EXECINFO
#include "check.h"
#include <gasnet_tools.h>

static int fail_mine, calls, redirected;
static int my_own(int fd) {
  calls++;
  return fail_mine || write(fd, "mine", 4) != 4;
}
gasnett_backtrace_type_t gasnett_backtrace_user = {"MINE", &my_own, 1};

static int elsewhere(int fd) {
  redirected = fd;
  return 0;
}

int main(int argc, char **argv) {
  char text[4096];
  int ends[2];
  ssize_t n;
  check_start(&argc, &argv, NULL, 0, 0);
  gasnett_backtrace_init(argv[0]);
  MUST(pipe(ends) == 0);
  CHECK_EQ(gasnett_print_backtrace(ends[1]), 0);
  CHECK_EQ(calls, 1);
  CHECK_EQ(read(ends[0], text, sizeof text), 4);
  fail_mine = 1;
  CHECK_EQ(gasnett_print_backtrace(ends[1]), 0);
  CHECK_EQ(calls, 2);
  n = read(ends[0], text, sizeof text);
  CHECK(n > 10); /* EXECINFO's */
  CHECK(gasnett_print_backtrace_ifenabled(ends[1]) != 0); /* GASNET_BACKTRACE is not set */
  CHECK_EQ(calls, 2);
  gasnett_print_backtrace_ifenabled = elsewhere;
  gasnett_print_backtrace_ifenabled(77);
  CHECK_EQ(redirected, 77);
  CHECK(gasnett_exe_name()[0] == '/' && access(gasnett_exe_name(), X_OK) == 0);
  return check_end();
}
