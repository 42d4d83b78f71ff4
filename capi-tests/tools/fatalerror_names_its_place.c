// gasnett_fatalerror prints its message with file and line and ends the program; the other form leaves the place out.
// ranks: 1
// case with: exit 134; stderr /FATAL ERROR.*lost 3 sheep.*fatalerror_names_its_place.c:[0-9]+/
// case without: exit 134; stderr /FATAL ERROR.*lost 3 sheep$/
#include "tools_check.h"

int main(int argc, char **argv) {
  if (argc > 1 && !strcmp(argv[1], "with")) gasnett_fatalerror("lost %d %s", 3, "sheep");
  gasnett_fatalerror_nopos("lost %d sheep", 3);
  return 0;
}
