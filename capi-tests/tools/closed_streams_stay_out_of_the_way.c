// After gasnett_close_streams output is discarded, and no new file gets the descriptor of a standard stream.
// ranks: 1
#include <fcntl.h>
#include "tools_check.h"

int main(void) {
  int fd;
  printf("ok 0\n");
  gasnett_flush_streams();
  gasnett_close_streams();
  gasnett_close_streams();
  fd = open("/proc/self/stat", O_RDONLY);
  if (fd <= 2) return 2;
  printf("ERROR: this goes nowhere\n");
  fprintf(stderr, "ERROR: this too\n");
  fflush(NULL);
  return 0;
}
