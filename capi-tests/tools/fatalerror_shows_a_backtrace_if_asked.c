// With GASNET_BACKTRACE=1 a fatal error is followed by a backtrace, by the mechanism that GASNET_BACKTRACE_TYPE names.
// ranks: 1
// once: yes
// wrap: env GASNET_BACKTRACE=1 GASNET_BACKTRACE_TYPE=$CASE
// needs: command -v gdb
// cflags: -g -O0
// case EXECINFO: exit 134; stderr /^\*\*\* FATAL ERROR.*wanted at .*:19$/; stderr /^#[0-9]+ .* in main at /; stderr /^#[0-9]+ .* in gasnett_fatalerror .* from /
// case GDB: exit 134; stderr /^\*\*\* FATAL ERROR.*wanted at .*:19$/; stderr /^#[0-9]+ .* in main /
// case MINE: exit 134; stderr /^\*\*\* FATAL ERROR.*wanted at .*:19$/; stderr /^my own backtrace$/
// case nothing,MINE: exit 134; stderr /WARNING.*nothing/; stderr /^my own backtrace$/
#include "check.h"
#include <gasnet_tools.h>

static int my_own(int fd) { return write(fd, "my own backtrace\n", 17) != 17; }
gasnett_backtrace_type_t gasnett_backtrace_user = {"MINE", &my_own, 1};

int main(int argc, char **argv) {
  check_start(&argc, &argv, NULL, 0, 0);
  gasnett_fatalerror("wanted");
}
