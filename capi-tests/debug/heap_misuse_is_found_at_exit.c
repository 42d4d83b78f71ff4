// An overrun of a block by a debug client is detected at the end of the job, if it was not detected before.
// ranks: 1 2
// modes: par
// debug: compiled
// every case: exit 134; stderr /FATAL ERROR \(proc [01]\): exit: block 0x[0-9a-f]+ \(100 bytes, allocated at .*heap_misuse_is_found_at_exit.c:[0-9]+\) was overrun/
// case return:
// case exit:
// case gasnet_exit:
#include "check.h"
#include <gasnet_tools.h>

int main(int argc, char **argv) {
  char *p;
  check_start(&argc, &argv, NULL, 0, 0);
  p = (char *)gasnett_debug_malloc(100);
  ((volatile char *)p)[100] = 1;
  barrier();
  if (!strcmp(argv[1], "exit")) exit(0);
  if (!strcmp(argv[1], "gasnet_exit")) gasnet_exit(0);
  return 0;
}
