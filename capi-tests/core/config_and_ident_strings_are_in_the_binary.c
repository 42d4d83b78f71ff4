// The executable holds GASNET_CONFIG_STRING and the $Key: value $ texts that launchers look for.
// ranks: 1
#include "check.h"

#if GASNET_SEQ
#define MODE "SEQ"
#elif GASNET_PAR
#define MODE "PAR"
#else
#define MODE "PARSYNC"
#endif

static char *image;
static size_t image_size;
static int contains(const char *text) {
  size_t n = strlen(text), i;
  for (i = 0; i + n <= image_size; i++)
    if (image[i] == text[0] && memcmp(image + i, text, n) == 0) return 1;
  return 0;
}

int main(int argc, char **argv) {
  FILE *f = fopen("/proc/self/exe", "rb");
  const char *mode = MODE;
  char text[200];
  check_start(&argc, &argv, NULL, 0, 0);
  MUST(f != NULL);
  fseek(f, 0, SEEK_END);
  image_size = (size_t)ftell(f);
  image = (char *)malloc(image_size);
  rewind(f);
  MUST(fread(image, 1, image_size, f) == image_size);
  fclose(f);
  /* Built at run time, so that the text searched for is not itself in the image. */
  snprintf(text, sizeof text, "$%sThreadModel: %s_%s $", "GASNet", "GASNET", mode);
  CHECK(contains(text));
  snprintf(text, sizeof text, "$%sConduitName: %s $", "GASNet", GASNET_CONDUIT_NAME_STR);
  CHECK(contains(text));
  snprintf(text, sizeof text, "$%sConfig: (", "GASNet");
  CHECK(contains(text));
  snprintf(text, sizeof text, "$%sSegment: %s_SEGMENT_", "GASNet", "GASNET");
  CHECK(contains(text));
  CHECK(contains(GASNET_CONFIG_STRING));
  CHECK(strncmp(GASNET_CONFIG_STRING, "RELEASE=", 8) == 0);
  snprintf(text, sizeof text, ",CONDUIT=%s(%s-", GASNET_CONDUIT_NAME_STR, GASNET_CONDUIT_NAME_STR);
  CHECK(strstr(GASNET_CONFIG_STRING, text) != NULL);
  snprintf(text, sizeof text, ",THREADMODEL=%s,SEGMENT=", mode);
  CHECK(strstr(GASNET_CONFIG_STRING, text) != NULL);
  CHECK(strstr(GASNET_CONFIG_STRING, ",PTR=64bit,") != NULL);
  return check_end();
}
