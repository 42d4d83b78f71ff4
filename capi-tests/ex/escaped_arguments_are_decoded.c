// gex_Client_Init decodes arguments that a launcher has escaped, as %0XX, in main's array where there are no more of them than before.
// args: 'a%020b' '%' '--x=%025041%020'
#include "check_ex.h"

int main(int argc, char **argv) {
  char **array = argv;
  check_start(&argc, &argv, NULL, 0, GASNET_PAGESIZE);
  CHECK_EQ(argc, 4);
  CHECK(argv == array);
  CHECK(strcmp(argv[1], "a b") == 0);
  CHECK(strcmp(argv[2], "%") == 0);
  CHECK(strcmp(argv[3], "--x=%041 ") == 0); /* once, not again */
  CHECK(argv[4] == NULL);
  return check_end();
}
