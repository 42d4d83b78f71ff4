// A rank may send as soon as its own attach returned; the peer's handler runs even inside the peer's attach.
#include "check.h"

static volatile int hits;
static void hit(gasnet_token_t t) { (void)t; hits++; }

int main(int argc, char **argv) {
  gasnet_handlerentry_t table[] = { HANDLER(200, hit) };
  gasnet_node_t r;
  check_init(&argc, &argv);
  if (me % 2) usleep(20000);
  MUST(gasnet_attach(table, 1, GASNET_PAGESIZE, 0) == GASNET_OK);
  for (r = 0; r < nranks; r++) CHECK(gasnet_AMRequestShort0(r, 200) == GASNET_OK);
  GASNET_BLOCKUNTIL(hits == (int)nranks);
  return check_end();
}
