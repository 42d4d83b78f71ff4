// The memory limit of a control group counts as the memory of the host: by default all segments together fit into it, and can be filled;
// larger ones are reduced to it, and a job that fills them ends with one line about the kernel's killer.
// ranks: 2
// modes: seq
// once: yes
// wrap: bash $here/segment/in_a_control_group
// needs: test "${GASNET_CONDUIT-${CONDUIT:-smp}}" = smp && bash $here/segment/in_a_control_group true
// case usual: exit 0
// case large: exit 0
// case filled: exit nonzero; stderr /^\*\*\* GASNet: rank [01] \(pid [0-9]+\) died of SIGKILL, probably from the kernel's out-of-memory killer/
#include "check.h"

// Of in_a_control_group.
#define LIMIT ((uintptr_t)256 << 20)

int main(int argc, char **argv) {
  int usual = argc > 1 && !strcmp(argv[1], "usual"), fills = !(argc > 1 && !strcmp(argv[1], "large"));
  if (!usual) setenv("GASNET_MAX_SEGSIZE", "1G", 1);
  check_init(&argc, &argv);
  uintptr_t most = gasnet_getMaxGlobalSegmentSize();
  if (usual) CHECK(most >= LIMIT / 4 && most * nranks <= LIMIT);
  else CHECK_EQ(most, LIMIT);
  check_attach(NULL, 0, most);
  if (fills) memset(seg(me), 1, most);
  return check_end();
}
