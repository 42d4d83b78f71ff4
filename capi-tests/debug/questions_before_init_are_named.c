// A debug client that queries its rank before init is stopped with the call and its place. (Release clients read zeros.)
// ranks: 1
// modes: par
// debug: compiled
// every case: exit nonzero; stderr /@AT@/
// case mynode: stderr /gasnet_mynode.*before gasnet_init/
// case nodes: stderr /gasnet_nodes.*before gasnet_init/
// case jobrank: stderr /gex_System_QueryJobRank.*before gasnet_init/
#include "misuse.h"

int main(int argc, char **argv) {
  misuse_begin(argc, argv);
  MISUSE("mynode", me = gasnet_mynode());
  MISUSE("nodes", nranks = gasnet_nodes());
  MISUSE("jobrank", me = gex_System_QueryJobRank());
  return 0;
}
