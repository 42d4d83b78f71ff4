// What release builds of GASNet elsewhere let pass does no harm: a lc_opt that messages do not take, vectors of no elements, flags of Cancel, regions in regions.
// debug: no
// ranks: 2
#include "check_ex.h"
#include <gasnet_coll.h>

static int got;
static void on_medium(gex_Token_t token, void *data, size_t nbytes) {
  (void)token;
  CHECK(nbytes == 64 && filled(data, 64, 5));
  __atomic_add_fetch(&got, 1, __ATOMIC_RELEASE);
}

int main(int argc, char **argv) {
  gex_AM_Entry_t table[] = { CHECK_AM(200, on_medium, MEDIUM, REQUEST, 0) };
  gex_AM_SrcDesc_t sd;
  char data[64];
  int a = 1, b = 2, i;
  check_start(&argc, &argv, table, 1, GASNET_PAGESIZE);
  for (i = 0; i < 100; i++) {
    fill(data, 64, 5);
    CHECK(gex_AM_RequestMedium0(world, next_rank(), 200, data, 64, i % 2 ? NULL : GEX_EVENT_DEFER, 0) == 0);
    memset(data, 0, 64); /* complete on return */
  }
  GASNET_BLOCKUNTIL(__atomic_load_n(&got, __ATOMIC_ACQUIRE) == 100);
  gex_Event_Wait(gex_Coll_ReduceToAllNB(world, &a, &b, GEX_DT_I32, 4, 0, GEX_OP_ADD, NULL, NULL, 0));
  gex_Event_Wait(gex_Coll_ReduceToOneNB(world, 0, NULL, NULL, GEX_DT_I32, 4, 0, GEX_OP_ADD, NULL, NULL, 0));
  CHECK(a == 1 && b == 2);
  gex_Event_Wait(gex_Coll_ReduceToAllNB(world, &a, &b, GEX_DT_I32, 4, 1, GEX_OP_ADD, NULL, NULL, 0));
  CHECK_EQ(a, 2 * (int)nranks);
  sd = gex_AM_PrepareRequestMedium(world, next_rank(), NULL, 8, 64, NULL, 0, 0);
  CHECK(sd && gex_AM_CancelRequestMedium(sd, 4) == 0);
  CHECK(gex_AM_MaxRequestMedium(world, next_rank(), GEX_EVENT_NOW, 0, 99) >= 512);
  gex_NBI_BeginAccessRegion(0);
  gex_RMA_PutNBI(world, next_rank(), seg(next_rank()), &i, sizeof i, GEX_EVENT_DEFER, 0);
  gex_NBI_BeginAccessRegion(0);
  gex_Event_Wait(gex_NBI_EndAccessRegion(0));
  gex_Event_Wait(gex_NBI_EndAccessRegion(0));
  return check_end();
}
