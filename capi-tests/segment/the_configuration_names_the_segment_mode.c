// Macros, the configuration string and the ident strings say for which segment mode a client was compiled.
// ranks: 1
// once: yes
// cflags: -DGASNET_SEGMENT_EVERYTHING
#include "check.h"

#if GASNET_SEGMENT_EVERYTHING != 1 || defined(GASNET_SEGMENT_FAST) || defined(GASNET_SEGMENT_LARGE)
#error "the macros do not agree"
#endif
#if GASNET_PSHM || GASNET_ALIGNED_SEGMENTS
#error "nothing is mapped, nothing aligned"
#endif

int main(int argc, char **argv) {
  static char text[1 << 20];
  FILE *self = fopen("/proc/self/exe", "rb");
  size_t n, at, found = 0;
  check_start(&argc, &argv, NULL, 0, 0);
  CHECK(strstr(GASNET_CONFIG_STRING, ",SEGMENT=EVERYTHING,") != NULL && strstr(GASNET_CONFIG_STRING, ",nopshm,") != NULL);
  MUST(self != NULL);
  while ((n = fread(text, 1, sizeof text, self)) > 0)
    for (at = 0; at + 40 < n; at++) found += memcmp(text + at, "$GASNetSegment: GASNET_SEGMENT_EVERYTHING $", 40) == 0;
  fclose(self);
  CHECK(found > 0);
  return check_end();
}
