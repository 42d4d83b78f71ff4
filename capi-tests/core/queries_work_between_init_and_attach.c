// Between init and attach: rank, size, the segment limits, the environment and the node map.
// env: CAPI_MARK=hello
#include "check.h"

int main(int argc, char **argv) {
  uintptr_t local, global;
  gasnet_nodeinfo_t *info;
  gasnet_node_t i;
  check_init(&argc, &argv);
  local = gasnet_getMaxLocalSegmentSize();
  global = gasnet_getMaxGlobalSegmentSize();
  CHECK(local >= global);
  CHECK(global >= MiB(64));
  CHECK_EQ(local % GASNET_PAGESIZE, 0);
  CHECK_EQ(global % GASNET_PAGESIZE, 0);
  CHECK(gasnet_getenv("CAPI_MARK") && strcmp(gasnet_getenv("CAPI_MARK"), "hello") == 0);
  CHECK(gasnet_getenv("CAPI_NOT_SET") == NULL);
  info = (gasnet_nodeinfo_t *)calloc(nranks, sizeof *info);
  CHECK(gasnet_getNodeInfo(info, (int)nranks) == GASNET_OK);
  for (i = 0; i < nranks; i++) {
    CHECK(info[i].host <= i && info[i].supernode <= i);
    if (!getenv("GASNET_CONDUIT")) CHECK_EQ(info[i].host, 0), CHECK_EQ(info[i].supernode, 0);
  }
  check_attach(NULL, 0, GASNET_PAGESIZE);
  return check_end();
}
