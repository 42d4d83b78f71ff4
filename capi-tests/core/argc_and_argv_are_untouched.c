// After init the program sees its own arguments, all of them, in order.
// args: one 'two words' --three= '' -n 4
#include "check.h"

int main(int argc, char **argv) {
  static const char *want[] = { "one", "two words", "--three=", "", "-n", "4" };
  int i;
  check_start(&argc, &argv, NULL, 0, 0);
  CHECK_EQ(argc, 7);
  for (i = 0; i < 6 && i + 1 < argc; i++) CHECK(strcmp(argv[i + 1], want[i]) == 0);
  CHECK(argv[argc] == NULL);
  return check_end();
}
