// A text of GASNETT_IDENT is in the executable: neither the optimiser nor the linker removes it.
// ranks: 1
// cflags: -O3 -flto -ffunction-sections -fdata-sections -Wl,--gc-sections
#include "tools_check.h"

GASNETT_IDENT(tools_check_ident, "$ToolsCheck: kept $");

int main(void) {
  FILE *f = fopen("/proc/self/exe", "rb");
  static char image[8 << 20];
  size_t size, i;
  char want[40];
  int found = 0;
  MUST(f != NULL);
  size = fread(image, 1, sizeof image, f);
  fclose(f);
  /* Made here, so that the search does not find itself. */
  snprintf(want, sizeof want, "$%s: kept $", "ToolsCheck");
  for (i = 0; i + strlen(want) < size && !found; i++) found = !memcmp(image + i, want, strlen(want));
  CHECK(found);
  return check_end();
}
