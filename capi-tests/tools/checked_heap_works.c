// The checked heap gives and takes memory as malloc() and its kin do, from several threads, and counts it.
// ranks: 1
// modes: par
// once: yes
// cflags: -DGASNET_DEBUGMALLOC
// case plain: exit 0
// case filled: exit 0
// wrap: sh -c 'test $CASE = plain || export GASNET_MALLOC_INIT=1 GASNET_MALLOC_INITVAL=0xAB GASNET_MALLOC_CLOBBER=1 GASNET_MALLOC_CLOBBERVAL=NAN GASNET_MALLOC_LEAKALL=1 GASNET_MALLOC_EXTRACHECK=1; exec "$0" "$@"'
#include "tools_check.h"

static int all(const char *p, size_t n, int value) {
  size_t i;
  for (i = 0; i < n; i++)
    if ((unsigned char)p[i] != value) return 0;
  return 1;
}

static void churn(int seed) {
  char *kept[32] = { NULL };
  size_t size[32], i;
  unsigned x = (unsigned)seed * 2654435761u + 1;
  for (i = 0; i < 500; i++) {
    unsigned at = (x = x * 1664525u + 1013904223u) >> 27;
    if (kept[at]) {
      CHECK(all(kept[at], size[at], (int)at));
      if (i % 3) gasnett_debug_free(kept[at]), kept[at] = NULL;
      else {
        kept[at] = (char *)gasnett_debug_realloc(kept[at], size[at] + 9);
        CHECK(all(kept[at], size[at], (int)at));
        memset(kept[at], (int)at, size[at] += 9);
      }
    } else {
      size[at] = (x >> 8) % 3000;
      kept[at] = (char *)gasnett_debug_malloc(size[at]);
      CHECK((uintptr_t)kept[at] % 16 == 0);
      memset(kept[at], (int)at, size[at]);
    }
  }
  for (i = 0; i < 32; i++) gasnett_debug_free(kept[i]);
}

int main(int argc, char **argv) {
  int filled = argc > 1 && !strcmp(argv[1], "filled");
  gasnett_heapstats_t before, now;
  char *p, *s;
  double *freed;
  CHECK_EQ(GASNET_DEBUGMALLOC, 1);
  gasnett_getheapstats(&before);
  CHECK_EQ(before.debug_live_blocks, 0);
  p = (char *)gasnett_debug_malloc(100);
  if (filled) CHECK(all(p, 100, 0xAB));
  memset(p, 7, 100);
  p = (char *)gasnett_debug_realloc(p, 1000);
  CHECK(all(p, 100, 7));
  if (filled) CHECK(all(p + 100, 900, 0xAB));
  s = (char *)gasnett_debug_calloc(10, 20);
  CHECK(all(s, 200, 0));
  strcpy(s, "testing 1 2 3");
  gasnett_getheapstats(&now);
  CHECK_EQ(now.debug_live_blocks, 2);
  CHECK_EQ(now.debug_live_bytes, 1200);
  CHECK_EQ(now.debug_allocated_blocks, 3);
  CHECK_EQ(now.debug_freed_bytes, 100);
  CHECK_EQ(now.debug_peak_bytes, 1200);
  freed = (double *)p;
  gasnett_debug_free(p);
  if (filled) CHECK(*(volatile double *)freed != *(volatile double *)freed);
  p = gasnett_debug_strdup(s);
  CHECK(!strcmp(p, s));
  gasnett_debug_free(p);
  p = gasnett_debug_strndup(s, 4);
  CHECK(!strcmp(p, "test"));
  gasnett_debug_free(p), gasnett_debug_free(s), gasnett_debug_free(NULL);
  gasnett_debug_memcheck(NULL);
  CHECK(gasnett_debug_calloc((size_t)1 << 40, (size_t)1 << 40) == NULL);
  CHECK(gasnett_debug_malloc((size_t)-1) == NULL);
  p = (char *)gasnett_debug_realloc(NULL, 5);
  gasnett_debug_memcheck(p);
  CHECK(gasnett_debug_realloc(p, 0) == NULL);
  on_threads(4, churn);
  gasnett_debug_memcheck_one(), gasnett_debug_memcheck_all();
  gasnett_getheapstats(&now);
  CHECK_EQ(now.debug_live_blocks, 0);
  CHECK_EQ(now.debug_live_bytes, 0);
  CHECK_EQ(now.debug_allocated_bytes, now.debug_freed_bytes);
  return check_end();
}
