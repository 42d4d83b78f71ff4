// gex_Client_Init gives each rank the program's own arguments, blanks and quotes included.
// ranks: 1 2 3
// args: one "two three" "it's" ""
#include "check_ex.h"

int main(int argc, char **argv) {
  check_init(&argc, &argv, 0);
  CHECK_EQ(argc, 5);
  CHECK(argc == 5 && !strcmp(argv[1], "one") && !strcmp(argv[2], "two three") && !strcmp(argv[3], "it's") && !strcmp(argv[4], ""));
  return check_end();
}
