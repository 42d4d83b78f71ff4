// After gex_Client_Init with GEX_FLAG_USES_GASNET1, GASNet-1 calls act on the same ranks, segments and handlers.
// ranks: 1 2 3 4
#include <gasnet.h>

#include "check_ex.h"

enum { OLD = 201, NEW = 202 };
static volatile int old_messages, new_messages;

static void on_old(gasnet_token_t token, gasnet_handlerarg_t value) {
  gasnet_node_t from;
  CHECK_EQ(gasnet_AMGetMsgSource(token, &from), GASNET_OK);
  CHECK_EQ(from, prev_rank());
  CHECK_EQ(value, 17);
  __atomic_fetch_add(&old_messages, 1, __ATOMIC_RELAXED);
}
static void on_new(gex_Token_t token, gex_AM_Arg_t value) {
  gex_Token_Info_t info;
  CHECK(gex_Token_Info(token, &info, GEX_TI_SRCRANK) & GEX_TI_SRCRANK);
  CHECK_EQ(info.gex_srcrank, prev_rank());
  CHECK_EQ(value, 18);
  __atomic_fetch_add(&new_messages, 1, __ATOMIC_RELAXED);
}

int main(int argc, char **argv) {
  gex_AM_Entry_t table[] = {CHECK_AM(OLD, on_old, SHORT, REQUEST, 1), CHECK_AM(NEW, on_new, SHORT, REQUEST, 1)};
  gasnet_seginfo_t *info;
  gex_Client_t client_again;
  gex_EP_t ep_again;
  gex_TM_t tm_again;
  gex_Segment_t segment_again;
  uint64_t value, back = 0;
  int round;
  check_init(&argc, &argv, GEX_FLAG_USES_GASNET1);
  CHECK(gex_Client_QueryFlags(client) & GEX_FLAG_USES_GASNET1);
  check_attach(table, 2, KiB(64));
  CHECK_EQ(gasnet_mynode(), me);
  CHECK_EQ(gasnet_nodes(), nranks);
  gasnet_QueryGexObjects(&client_again, &ep_again, &tm_again, &segment_again);
  CHECK(client_again == client && ep_again == endpoint && tm_again == world && segment_again == segment);
  gasnet_QueryGexObjects(NULL, NULL, NULL, NULL);
  info = (gasnet_seginfo_t *)calloc(nranks, sizeof *info);
  CHECK_EQ(gasnet_getSegmentInfo(info, (int)nranks), GASNET_OK);
  CHECK(info[next_rank()].addr == (void *)seg(next_rank()));
  CHECK_EQ(info[next_rank()].size, seg_size(next_rank()));
  for (round = 0; round < 100; round++) {
    value = (uint64_t)me * 1000 + (uint64_t)round;
    gasnet_put(next_rank(), seg(next_rank()), &value, sizeof value);
    gasnet_barrier_notify(round, 0);
    CHECK_EQ(gasnet_barrier_wait(round, 0), GASNET_OK);
    memcpy(&value, seg(me), sizeof value);
    CHECK_EQ(value, prev_rank() * 1000u + (unsigned)round);
    gasnet_AMRequestShort1(next_rank(), OLD, 17);
    gex_AM_RequestShort1(world, next_rank(), NEW, 0, 18);
    gex_Event_Wait(gex_RMA_GetNB(world, &back, next_rank(), seg(next_rank()), sizeof back, 0));
    CHECK_EQ(back, me * 1000u + (unsigned)round);
    barrier();
    gasnet_wait_syncnb(gex_RMA_PutNB(world, next_rank(), seg(next_rank()) + 8, &value, sizeof value, GEX_EVENT_DEFER, 0));
    gex_Event_Wait(gasnet_put_nb_bulk(next_rank(), seg(next_rank()) + 16, &value, sizeof value));
  }
  GASNET_BLOCKUNTIL(old_messages == 100 && new_messages == 100);
  return check_end();
}
