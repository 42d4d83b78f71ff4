// GASNET_DISABLE_ARGDECODE leaves escapes in arguments; the setting for escapes in the environment does not matter.
// args: 'a%020b' '%000'
// env: GASNET_DISABLE_ARGDECODE=1 CAPI_A='c%020d'
// ranks: 1 2
#include "check.h"

int main(int argc, char **argv) {
  char **array = argv;
  check_start(&argc, &argv, NULL, 0, 0);
  CHECK(argc == 3 && argv == array && argv[3] == NULL);
  CHECK(strcmp(argv[1], "a%020b") == 0);
  CHECK(strcmp(argv[2], "%000") == 0);
  CHECK(strcmp(gasnet_getenv("CAPI_A"), "c d") == 0);
  return check_end();
}
