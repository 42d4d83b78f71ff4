// A call of a debug client that returns an error code prints the code, the reason and the place on stderr.
// ranks: 1 2
// modes: par
// debug: yes
// every case: exit 0; stderr /@AT@/
// case segment_info_null: stderr /gasnet_getSegmentInfo.*GASNET_ERR_BAD_ARG/
// case node_info_null: stderr /gasnet_getNodeInfo.*GASNET_ERR_BAD_ARG/
// case second_init: stderr /gasnet_init.*GASNET_ERR_/
// case second_attach: stderr /gasnet_attach.*GASNET_ERR_/
// case early_segment_info: stderr /gasnet_getSegmentInfo.*GASNET_ERR_NOT_INIT/
// case wait_mode: stderr /gasnet_set_waitmode.*GASNET_ERR_BAD_ARG/
#include "check.h"

#define WRONG(name, call, want) do { if (strcmp(which, name) == 0) { printf("at %s:%d\n", strrchr("/" __FILE__, '/') + 1, __LINE__); fflush(stdout); CHECK_EQ(call, want); } } while (0)

int main(int argc, char **argv) {
  const char *which = argc > 1 ? argv[1] : "";
  gasnet_seginfo_t info;
  check_init(&argc, &argv);
  WRONG("early_segment_info", gasnet_getSegmentInfo(&info, 1), GASNET_ERR_NOT_INIT);
  WRONG("second_init", gasnet_init(&argc, &argv) != GASNET_OK, 1);
  check_attach(NULL, 0, 0);
  WRONG("segment_info_null", gasnet_getSegmentInfo(NULL, 1), GASNET_ERR_BAD_ARG);
  WRONG("node_info_null", gasnet_getNodeInfo(NULL, 1), GASNET_ERR_BAD_ARG);
  WRONG("second_attach", gasnet_attach(NULL, 0, 0, 0) != GASNET_OK, 1);
  WRONG("wait_mode", gasnet_set_waitmode(-3), GASNET_ERR_BAD_ARG);
  return check_end();
}
