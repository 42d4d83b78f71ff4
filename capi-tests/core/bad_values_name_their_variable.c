// A value that cannot be read ends the program, or is reported, with the name of its variable: never silently another value.
// ranks: 1
// once: yes
// wrap: env $CASE
// case GASNET_VERBOSEENV=perhaps: exit nonzero; stderr /GASNET_VERBOSEENV/
// case GASNET_MAX_SEGSIZE=lots: exit any; stderr /GASNET_MAX_SEGSIZE/
// case GASNET_MAX_SEGSIZE=0: exit 134; stderr /GASNET_MAX_SEGSIZE='0'.*above 0/
// case GASNET_MAX_SEGSIZE=0GB/H: exit 134; stderr /GASNET_MAX_SEGSIZE='0GB/H'.*above 0/
// case GASNET_RMA=magic: exit any; stderr /GASNET_RMA/
// case GASNET_BARRIER=magic: exit any; stderr /GASNET_BARRIER/
// case GASNET_SHM_BACKING=magic: exit any; stderr /GASNET_SHM_BACKING/
#include "check.h"

int main(int argc, char **argv) {
  check_start(&argc, &argv, NULL, 0, GASNET_PAGESIZE);
  return check_end();
}
