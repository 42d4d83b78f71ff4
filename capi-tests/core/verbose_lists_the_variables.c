// GASNET_VERBOSEENV lists, on rank 0's stderr, the variables, their values and which are defaults, and names the memory backing in use.
// ranks: 2
// once: yes
// env: GASNET_VERBOSEENV=1 GASNET_RMA=am
// expect: exit 0; stderr /GASNET_RMA[ =]+'?am/; stderr /GASNET_BARRIER.*default/; stderr /(memfd|posix|sysv|file|hugetlbfs)/
#include "check.h"

int main(int argc, char **argv) {
  check_start(&argc, &argv, NULL, 0, GASNET_PAGESIZE);
  return check_end();
}
