// A debug client that overruns a block of the checked heap, frees it twice or frees an address that is not a block is stopped with the block, its origin and the place.
// ranks: 1 2
// modes: par seq
// debug: compiled
// every case: exit 134; stderr /FATAL ERROR \(proc [01]\).*@AT@/
// case overrun: stderr /gasnett_debug_free: block 0x[0-9a-f]+ \(10 bytes, allocated at .*heap_misuse_is_named.c:[0-9]+\) was overrun.*byte 0 past/
// case overrun_by_more: stderr /gasnett_debug_free: .*overrun: the byte 5 past its end/
// case underrun: stderr /gasnett_debug_free: .*underrun: the byte 1 before/
// case twice: stderr /gasnett_debug_free: block .* was already freed at .*heap_misuse_is_named.c:/
// case inside: stderr /gasnett_debug_free: .* is no block: it lies 4 bytes into block .*\(10 bytes, allocated at /
// case no_block: stderr /gasnett_debug_free: .* is no block of gasnett_debug_malloc/
// case realloc_freed: stderr /gasnett_debug_realloc: .*already freed/
// case realloc_overrun: stderr /gasnett_debug_realloc: .*overrun/
// case memcheck: stderr /gasnett_debug_memcheck: .*overrun/
// case memcheck_freed: stderr /gasnett_debug_memcheck: .*already freed/
// case memcheck_one: stderr /gasnett_debug_memcheck_one: .*overrun/
// case memcheck_all: stderr /gasnett_debug_memcheck_all: .*overrun/
// case next_malloc: stderr /gasnett_debug_(malloc|calloc): .*overrun/
// case string: stderr /gasnett_debug_free: .*\(6 bytes.*overrun/
// case poll: stderr /gasnet_AMPoll: .*overrun/
#include "misuse.h"
#include <gasnet_tools.h>

static void *at(char *p, int i, char c) {
  ((volatile char *)p)[i] = c;
  return p;
}

int main(int argc, char **argv) {
  char *p, *q, *s, other[16];
  check_start(&argc, &argv, NULL, 0, 0);
  misuse_begin(argc, argv);
  p = (char *)gasnett_debug_malloc(10);
  q = (char *)gasnett_debug_calloc(3, 7);
  s = gasnett_debug_strdup("hello");
  MISUSE("overrun", gasnett_debug_free(at(p, 10, 0)));
  MISUSE("overrun_by_more", gasnett_debug_free(at(p, 15, 0)));
  MISUSE("underrun", gasnett_debug_free(at(p, -1, 0)));
  MISUSE("twice", gasnett_debug_free(p); gasnett_debug_free(p));
  MISUSE("inside", gasnett_debug_free(p + 4));
  MISUSE("no_block", gasnett_debug_free(other));
  MISUSE("realloc_freed", gasnett_debug_free(p); p = (char *)gasnett_debug_realloc(p, 20));
  MISUSE("realloc_overrun", p = (char *)gasnett_debug_realloc(at(p, 10, 0), 20));
  MISUSE("memcheck", gasnett_debug_memcheck(at(p, 10, 0)));
  MISUSE("memcheck_freed", gasnett_debug_free(p); gasnett_debug_memcheck(p));
  MISUSE("memcheck_one", at(q, 21, 7); for (int i = 0; i < 3; i++) gasnett_debug_memcheck_one());
  MISUSE("memcheck_all", at(q, 21, 7); gasnett_debug_memcheck_all());
  MISUSE("next_malloc", at(q, 21, 7); for (int i = 0; i < 12; i++) p = (char *)gasnett_debug_malloc(1));
  MISUSE("string", gasnett_debug_free(at(s, 6, '!')));
  MISUSE("poll", at(q, 21, 7); for (int i = 0; i < 12; i++) gasnet_AMPoll());
  return check_end();
}
