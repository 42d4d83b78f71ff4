// gasnet_attach with a size of 0, at some ranks or all, makes a segment of one page, which all queries report equally and peers can access.
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
  gex_Client_t client;
  gex_EP_t ep;
  gex_TM_t tm;
  gex_Segment_t segment;
  check_init(&argc, &argv);
  check_attach(table, 1, all || me % 2 ? 0 : 2 * GASNET_PAGESIZE);
  gasnet_QueryGexObjects(&client, &ep, &tm, &segment);
  MUST(segment != GEX_SEGMENT_INVALID);
  for (i = 0; i < nranks; i++) {
    size_t expected = (size_t)GASNET_PAGESIZE * (all || i % 2 ? 1 : 2);
    void *owner = NULL, *local = NULL;
    uintptr_t size = 0;
    CHECK_EQ(seg_size(i), expected);
    CHECK(seg(i) != NULL && (uintptr_t)seg(i) % GASNET_PAGESIZE == 0);
    CHECK_EQ(gex_Segment_QueryBound(tm, i, &owner, &local, &size), 0);
    CHECK(owner == (void *)seg(i) && (local != NULL || i != me));
    CHECK_EQ(size, expected);
    owner = NULL, size = 0;
    gex_Event_Wait(gex_EP_QueryBoundSegmentNB(tm, i, &owner, &local, &size, 0));
    CHECK(owner == (void *)seg(i));
    CHECK_EQ(size, expected);
  }
  CHECK_EQ(gex_Segment_QuerySize(segment), seg_size(me));
  CHECK(gex_Segment_QueryAddr(segment) == (void *)seg(me));
  fill(bytes, sizeof bytes, 9);
  CHECK(gasnet_AMRequestMedium0(next_rank(), 140, bytes, sizeof bytes) == GASNET_OK);
  GASNET_BLOCKUNTIL(hits == 1);
  for (i = 0; i < nranks; i++) gasnet_put(i, seg(i) + seg_size(i) - 1 - me, bytes, 1);
  barrier();
  for (i = 0; i < nranks; i++) CHECK_EQ(seg(me)[seg_size(me) - 1 - i], bytes[0]);
  return check_end();
}
