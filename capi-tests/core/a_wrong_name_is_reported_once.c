// An unknown GASNET_ variable is reported once, regardless of how the job is started and of the number of hosts.
// ranks: 2 4
// once: yes
// env: GASNET_BARIER=PSHM GASNET_UDP_LOCAL_HOSTS=2 PROGRAM=$exe
// wrap: bash $here/core/once BARIER
#include "check.h"

int main(int argc, char **argv) {
  check_start(&argc, &argv, NULL, 0, GASNET_PAGESIZE);
  return check_end();
}
