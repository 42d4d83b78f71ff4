// Some ranks, or all, may attach with no segment; messages without a segment and the others' segments still work.
// case some: exit 0
// case all: exit 0
#include "check.h"

static int hits;
static void hit(gasnet_token_t t, void *buf, size_t n) {
  (void)t;
  CHECK(filled(buf, n, 9));
  hits++;
}

int main(int argc, char **argv) {
  gasnet_handlerentry_t table[] = { HANDLER(140, hit) };
  int all = argc > 1 && strcmp(argv[1], "all") == 0;
  char bytes[100];
  gasnet_node_t i;
  check_init(&argc, &argv);
  check_attach(table, 1, all || me % 2 ? 0 : 2 * GASNET_PAGESIZE);
  fill(bytes, sizeof bytes, 9);
  CHECK(gasnet_AMRequestMedium0(next_rank(), 140, bytes, sizeof bytes) == GASNET_OK);
  GASNET_BLOCKUNTIL(hits == 1);
  for (i = 0; i < nranks && !all; i += 2) {
    CHECK(seg_size(i) >= 2 * GASNET_PAGESIZE);
    gasnet_put(i, seg(i) + me, bytes, 1);
  }
  barrier();
  if (me % 2 == 0 && !all)
    for (i = 0; i < nranks; i++) CHECK_EQ(seg(me)[i], bytes[0]);
  return check_end();
}
