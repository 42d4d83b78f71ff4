// A second gasnet_attach returns an error; the segment and handlers of the first stay.
// ranks: 1 2
// expect: exit 0; chatter
#include "check.h"

static int hits;
static void hit(gasnet_token_t t) { (void)t, hits++; }

int main(int argc, char **argv) {
  gasnet_handlerentry_t table[] = { HANDLER(130, hit) };
  gasnet_seginfo_t *again;
  check_start(&argc, &argv, table, 1, 4 * GASNET_PAGESIZE);
  CHECK(gasnet_attach(NULL, 0, GASNET_PAGESIZE, 0) != GASNET_OK);
  again = (gasnet_seginfo_t *)calloc(nranks, sizeof *again);
  CHECK(gasnet_getSegmentInfo(again, (int)nranks) == GASNET_OK);
  CHECK(memcmp(again, check_segs, nranks * sizeof *again) == 0);
  CHECK(gasnet_AMRequestShort0(next_rank(), 130) == GASNET_OK);
  GASNET_BLOCKUNTIL(hits == 1);
  return check_end();
}
