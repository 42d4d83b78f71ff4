// A network that executes collectives is given those that it offers, of teams of any order, in and out of order with messages; with GASNET_RMA=am none.
// ranks: 3 4
// needs: test "${GASNET_CONDUIT-}" = loopback
// env: GASNET_STATSFILE=stderr
// case native: stderr /^0> \(C\) collectives +[1-9][0-9]/; stderr /^2> \(C\) collectives +[1-9][0-9]/
// case reference: no-stderr /\(C\) collectives +[1-9]/; chatter
#include "check_ex.h"
#include <gasnet_coll.h>

#define MANY 40

static void sum(const void *left, void *right, size_t n, const void *cdata) {
  size_t i;
  (void)cdata;
  for (i = 0; i < n; i++) ((int64_t *)right)[i] += ((const int64_t *)left)[i];
}

/* Those that the network has, one that it has not (MULT), and one by a function, all in flight at once. */
static void go(gex_TM_t tm) {
  gex_Rank_t mine = gex_TM_QueryRank(tm), n = gex_TM_QuerySize(tm), r;
  int64_t src[MANY], sums[MANY], products[MANY], own[MANY], wanted_sum[MANY], wanted_product[MANY];
  static char out[3][60000], in[60000];
  gex_Event_t events[10];
  int i, e = 0;
  for (i = 0; i < MANY; i++) {
    src[i] = mine + 1 + i;
    wanted_sum[i] = 0, wanted_product[i] = 1;
    for (r = 0; r < n; r++) wanted_sum[i] += r + 1 + i, wanted_product[i] *= r + 1 + i;
  }
  fill(in, sizeof in, 50 + mine);
  events[e++] = gex_Coll_ReduceToAllNB(tm, sums, src, GEX_DT_I64, 8, MANY, GEX_OP_ADD, NULL, NULL, 0);
  events[e++] = gex_Coll_ReduceToAllNB(tm, products, src, GEX_DT_I64, 8, MANY, GEX_OP_MULT, NULL, NULL, 0);
  events[e++] = gex_Coll_BroadcastNB(tm, n - 1, out[0], in, 700, 0);
  events[e++] = gex_Coll_BroadcastNB(tm, 0, out[1], in, sizeof in, 0); /* larger than its limit */
  events[e++] = gex_Coll_ReduceToOneNB(tm, n - 1, mine == n - 1 ? own : NULL, src, GEX_DT_USER, 8, MANY, GEX_OP_USER, sum, NULL, 0);
  events[e++] = gex_Coll_BarrierNB(tm, 0);
  events[e++] = gex_Coll_BroadcastNB(tm, 1, out[2], in, 1, 0);
  while (e) gex_Event_Wait(events[--e]);
  CHECK(memcmp(sums, wanted_sum, sizeof sums) == 0);
  CHECK(memcmp(products, wanted_product, sizeof products) == 0);
  CHECK(mine != n - 1 || memcmp(own, wanted_sum, sizeof own) == 0);
  CHECK(filled(out[0], 700, 50 + n - 1));
  CHECK(filled(out[1], sizeof in, 50));
  CHECK(filled(out[2], 1, 51));
  /* In place. */
  gex_Event_Wait(gex_Coll_ReduceToAllNB(tm, src, src, GEX_DT_I64, 8, MANY, GEX_OP_ADD, NULL, NULL, 0));
  CHECK(memcmp(src, wanted_sum, sizeof src) == 0);
}

int main(int argc, char **argv) {
  gex_TM_t reversed, part;
  int i;
  if (argc > 1) setenv("GASNET_RMA", strcmp(argv[1], "reference") ? "shared" : "am", 1);
  check_start(&argc, &argv, NULL, 0, KiB(64));
  for (i = 0; i < 3; i++) go(world);
  gex_TM_Split(&reversed, world, 0, (int)(nranks - me), NULL, 0, GEX_FLAG_TM_NO_SCRATCH);
  go(reversed);
  gex_TM_Split(&part, world, me == 1, 0, NULL, 0, GEX_FLAG_TM_NO_SCRATCH);
  if (me != 1) go(part);
  for (i = 0; i < 20; i++) { /* Groups come and go. */
    gex_TM_t again;
    gex_TM_Split(&again, reversed, 0, i & 1 ? (int)me : -(int)me, NULL, 0, GEX_FLAG_TM_NO_SCRATCH);
    gex_Event_Wait(gex_Coll_BarrierNB(again, 0));
    gex_TM_Destroy(again, NULL, 0);
  }
  gex_TM_Destroy(part, NULL, 0);
  gex_TM_Destroy(reversed, NULL, 0);
  return check_end();
}
