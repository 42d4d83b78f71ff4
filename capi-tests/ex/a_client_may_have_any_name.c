// Programs pass their own names, in lower case, too; the client keeps its text, not the pointer.
// ranks: 1 2
#include "check_ex.h"

int main(int argc, char **argv) {
  char name[] = "testname";
  CHECK_EQ(gex_Client_Init(&client, &endpoint, &world, name, &argc, &argv, 0), GASNET_OK);
  me = gex_TM_QueryRank(world), nranks = gex_TM_QuerySize(world), check_rank = (int)me;
  memset(name, 'x', sizeof name - 1);
  CHECK_EQ(strcmp(gex_Client_QueryName(client), "testname"), 0);
  return check_end();
}
