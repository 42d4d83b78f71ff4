/* For tests of misuse: one case a run, by name; the program says where the misuse is, and the library must say the same. */
#include "check_ex.h"

static const char *misuse_case = "";
/* One line each, so that the place said is the place of the call. */
#define MISUSE(name, ...) do { if (strcmp(misuse_case, name) == 0) { printf("at %s:%d\n", strrchr("/" __FILE__, '/') + 1, __LINE__); fflush(stdout); __VA_ARGS__; misuse_passed(name); } } while (0)
static CHECK_UNUSED void misuse_passed(const char *name) {
  fprintf(stderr, "ERROR: nobody objected to: %s\n", name);
  fflush(stderr);
  _exit(0);
}
static CHECK_UNUSED void misuse_begin(int argc, char **argv) { misuse_case = argc > 1 ? argv[1] : ""; }
