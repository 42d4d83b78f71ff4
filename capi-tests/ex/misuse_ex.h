/* For tests of misuse: one case per run, by name; the program prints the place of the misuse, and the library must print the same. */
#include "check_ex.h"

static const char *misuse_case = "";
/* One line each, so that the printed place is that of the call. */
#define MISUSE(name, ...) do { if (strcmp(misuse_case, name) == 0) { printf("at %s:%d\n", strrchr("/" __FILE__, '/') + 1, __LINE__); fflush(stdout); __VA_ARGS__; misuse_passed(name); } } while (0)
static CHECK_UNUSED void misuse_passed(const char *name) {
  fprintf(stderr, "ERROR: nobody objected to: %s\n", name);
  fflush(stderr);
  _exit(0);
}
static CHECK_UNUSED void misuse_begin(int argc, char **argv) { misuse_case = argc > 1 ? argv[1] : ""; }
