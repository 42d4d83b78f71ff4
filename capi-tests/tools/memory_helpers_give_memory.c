// gasnett_mmap gives zeroed pages, gasnett_malloc_aligned aligned memory, the debug names the plain heap.
// ranks: 1
#include "tools_check.h"

int main(void) {
  size_t align;
  char *p = (char *)gasnett_mmap(3 * GASNETT_PAGESIZE), *s, *t;
  gasnett_heapstats_t stats;
  CHECK((uintptr_t)p % GASNETT_PAGESIZE == 0);
  CHECK_EQ(gasnett_count0s(p, 3 * GASNETT_PAGESIZE), 3 * GASNETT_PAGESIZE);
  for (align = 1; align <= 65536; align *= 2) {
    void *q = gasnett_malloc_aligned(align, 100);
    CHECK((uintptr_t)q % align == 0);
    memset(q, 1, 100);
    gasnett_free_aligned(q);
  }
  s = (char *)gasnett_debug_calloc(10, 20);
  strcpy(s, "testing 1 2 3");
  t = gasnett_debug_strdup(s);
  CHECK(t != s && !strcmp(t, s));
  gasnett_debug_free(t);
  t = gasnett_debug_strndup(s, 4);
  CHECK(!strcmp(t, "test"));
  gasnett_debug_memcheck(t), gasnett_debug_memcheck_one(), gasnett_debug_memcheck_all();
  s = (char *)gasnett_debug_realloc(s, 1000);
  CHECK(!strcmp(s, "testing 1 2 3"));
  gasnett_getheapstats(&stats);
  CHECK(stats.live_bytes > 0 && stats.total_bytes >= stats.live_bytes);
  gasnett_debug_free(s), gasnett_debug_free(t);
  s = gasnett_current_loc;
  CHECK(strstr(s, "main() at ") == s && strstr(s, "memory_helpers_give_memory.c:"));
  free(s);
  return check_end();
}
