// GASNET_PSHM_NODES that is no number, negative or absurd ends the program with an error that names it; 0 means one rank.
// ranks: 1
// once: yes
// wrap: env GASNET_PSHM_NODES=$CASE
// case 0: exit 0; chatter
// case -1: exit nonzero; stderr /GASNET_PSHM_NODES/
// case abc: exit nonzero; stderr /GASNET_PSHM_NODES/
// case 2x: exit nonzero; stderr /GASNET_PSHM_NODES/
// case 4097: exit nonzero; stderr /GASNET_PSHM_NODES.*4096/
// case 1000000000: exit nonzero; stderr /GASNET_PSHM_NODES/
#include "check.h"

int main(int argc, char **argv) {
  check_start(&argc, &argv, NULL, 0, 0);
  CHECK_EQ(nranks, 1);
  return check_end();
}
