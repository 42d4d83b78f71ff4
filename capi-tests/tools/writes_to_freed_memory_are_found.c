// With GASNET_MALLOC_SCANFREED a write to a freed block of the checked heap is detected, and the line names the places of allocation and free.
// ranks: 1
// modes: par
// once: yes
// cflags: -DGASNET_DEBUGMALLOC
// env: GASNET_MALLOC_SCANFREED=1
// expect: exit 134; stderr /FATAL ERROR.*gasnett_debug_memcheck_all: byte 7 of block 0x[0-9a-f]+ \(64 bytes, allocated at .*:13\) was written after the block was freed at .*:14 at .*:17/
#include "tools_check.h"

int main(void) {
  char *volatile p;
  gasnett_debug_memcheck_all();
  p = (char *)gasnett_debug_malloc(64);
  gasnett_debug_free(p);
  gasnett_debug_memcheck_all();
  *(volatile char *)(p + 7) = 1;
  gasnett_debug_memcheck_all();
  return check_end();
}
