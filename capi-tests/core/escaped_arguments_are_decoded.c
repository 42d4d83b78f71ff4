// Arguments in which a launcher has escaped bytes as %0XX are decoded on every rank; other text stays; %000 splits an argument.
// args: 'a%020b' '%041%042' plain '%0' '%0G1' '%04' '100%' '%2541' '%0%041' 'x%00ay' '%0c3%0A4' 'one%000two'
#include "check.h"

int main(int argc, char **argv) {
  static const char *want[] = { "a b", "AB", "plain", "%0", "%0G1", "%04", "100%", "%2541", "%0A", "x\ny", "\xc3\xa4", "one", "two" };
  char *plain = argv[3], *none = argv[4];
  int i, given = argc;
  check_start(&argc, &argv, NULL, 0, 0);
  CHECK_EQ(argc, COUNT_OF(want) + 1);
  for (i = 0; i < COUNT_OF(want) && i + 1 < argc; i++) CHECK(strcmp(argv[i + 1], want[i]) == 0);
  CHECK(argv[argc] == NULL);
  CHECK(given == 13 && argv[3] == plain && argv[4] == none);
  return check_end();
}
