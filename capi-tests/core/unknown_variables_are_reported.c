// An unknown GASNET_ variable is reported, with the nearest known name; the program runs.
// ranks: 2
// once: yes
// env: GASNET_BARIER=PSHM
// expect: exit 0; stderr /GASNET_BARIER.*GASNET_BARRIER/
#include "check.h"

int main(int argc, char **argv) {
  check_start(&argc, &argv, NULL, 0, GASNET_PAGESIZE);
  return check_end();
}
