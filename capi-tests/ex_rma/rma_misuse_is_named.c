// A debug client that passes invalid arguments to put, get or value calls is stopped with the name of the call.
// ranks: 2
// modes: par
// debug: yes
// every case: exit nonzero; stderr /@AT@/
// case lc_null: stderr /gex_RMA_PutNB:.*lc_opt.*NULL/
// case lc_group: stderr /gex_RMA_PutNB:.*GEX_EVENT_GROUP/
// case lc_pointer: stderr /gex_RMA_PutNBI:.*lc_opt/
// case team_null: stderr /gex_RMA_PutBlocking:.*tm/
// case source_null: stderr /gex_RMA_PutBlocking:.*NULL/
// case dest_null: stderr /gex_RMA_GetNBI:.*NULL/
// case value_0: stderr /gex_RMA_PutBlockingVal: nbytes 0 is not the size of a gex_RMA_Value_t/
// case value_9: stderr /gex_RMA_PutNBVal: nbytes 9 is not the size of a gex_RMA_Value_t/
// case value_rank: stderr /gex_RMA_GetBlockingVal:.*rank 2/
// case value_outside: stderr /gex_RMA_PutNBIVal:.*outside/
// case value_immediate: stderr /gex_RMA_GetBlockingVal:.*IMMEDIATE/
// case never_self: stderr /gex_RMA_PutBlocking:.*PEER_NEVER_SELF/
// case never_nbrhd: stderr /gex_RMA_GetNB:.*PEER_NEVER_NBRHD/
// case two_dispositions: stderr /gex_RMA_PutBlocking:.*more than one/
// case offset: stderr /gex_RMA_GetBlocking:.*SEG_OFFSET/
// case not_in_own: stderr /gex_RMA_PutBlocking:.*SELF_SEG_BOUND/
// case in_handler: stderr /gex_RMA_PutBlocking:.*handler/
#include "../ex/misuse_ex.h"

static int value = 5;
static void on_poke(gex_Token_t token) {
  (void)token;
  gex_RMA_PutBlocking(world, 1, seg(1), &value, 4, 0);
}

int main(int argc, char **argv) {
  gex_AM_Entry_t table[] = {CHECK_AM(200, on_poke, SHORT, REQUEST, 0)};
  gex_Event_t ev;
  check_start(&argc, &argv, table, 1, KiB(64));
  misuse_begin(argc, argv);
  if (me != 0) {
    barrier();
    return check_end();
  }
  MISUSE("lc_null", gex_RMA_PutNB(world, 1, seg(1), &value, 4, NULL, 0));
  MISUSE("lc_group", gex_RMA_PutNB(world, 1, seg(1), &value, 4, GEX_EVENT_GROUP, 0));
  MISUSE("lc_pointer", gex_RMA_PutNBI(world, 1, seg(1), &value, 4, &ev, 0));
  MISUSE("team_null", gex_RMA_PutBlocking(GEX_TM_INVALID, 1, seg(1), &value, 4, 0));
  MISUSE("source_null", gex_RMA_PutBlocking(world, 1, seg(1), NULL, 4, 0));
  MISUSE("dest_null", gex_RMA_GetNBI(world, NULL, 1, seg(1), 4, 0));
  MISUSE("value_0", gex_RMA_PutBlockingVal(world, 1, seg(1), 1, 0, 0));
  MISUSE("value_9", gex_RMA_PutNBVal(world, 1, seg(1), 1, 9, 0));
  MISUSE("value_rank", gex_RMA_GetBlockingVal(world, 2, seg(1), 4, 0));
  MISUSE("value_outside", gex_RMA_PutNBIVal(world, 1, seg(1) + seg_size(1) - 3, 1, 4, 0));
  MISUSE("value_immediate", gex_RMA_GetBlockingVal(world, 1, seg(1), 4, GEX_FLAG_IMMEDIATE));
  MISUSE("never_self", gex_RMA_PutBlocking(world, 0, seg(0), &value, 4, GEX_FLAG_PEER_NEVER_SELF));
  MISUSE("never_nbrhd", gex_RMA_GetNB(world, &value, 0, seg(0), 4, GEX_FLAG_PEER_NEVER_NBRHD));
  MISUSE("two_dispositions", gex_RMA_PutBlocking(world, 1, seg(1), &value, 4, GEX_FLAG_SELF_SEG_SOME | GEX_FLAG_SELF_SEG_UNKNOWN));
  MISUSE("offset", gex_RMA_GetBlocking(world, &value, 1, seg(1), 4, GEX_FLAG_PEER_SEG_OFFSET));
  MISUSE("not_in_own", gex_RMA_PutBlocking(world, 1, seg(1), &value, 4, GEX_FLAG_SELF_SEG_BOUND));
  if (strcmp(misuse_case, "in_handler") == 0) {
    printf("at rma_misuse_is_named.c\n");
    fflush(stdout);
    gex_AM_RequestShort0(world, 0, 200, 0);
    misuse_passed("in_handler");
  }
  barrier();
  return check_end();
}
