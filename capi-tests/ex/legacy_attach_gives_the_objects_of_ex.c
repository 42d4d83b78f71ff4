// gasnet_QueryGexObjects after gasnet_init and gasnet_attach gives objects on which EX calls work.
// ranks: 1 2 3
#include "check.h"

static volatile int messages;
static void on_message(gex_Token_t token, void *bytes, size_t nbytes, gex_AM_Arg_t value) {
  gex_Token_Info_t info;
  CHECK(gex_Token_Info(token, &info, GEX_TI_SRCRANK | GEX_TI_EP) & GEX_TI_EP);
  CHECK_EQ(info.gex_srcrank, prev_rank());
  CHECK_EQ(gex_EP_QueryIndex(info.gex_ep), 0);
  CHECK(filled(bytes, nbytes, (unsigned)value));
  messages++;
}

int main(int argc, char **argv) {
  gex_Client_t client = GEX_CLIENT_INVALID;
  gex_EP_t ep = GEX_EP_INVALID;
  gex_TM_t tm = GEX_TM_INVALID;
  gex_Segment_t segment;
  gex_AM_Entry_t table[] = {{0, (gex_AM_Fn_t)on_message, GEX_FLAG_AM_MEDIUM | GEX_FLAG_AM_REQUEST, 1, NULL, NULL}};
  char bytes[1000], back[1000];
  void *there;
  uintptr_t size;
  check_init(&argc, &argv);
  check_attach(NULL, 0, KiB(64));
  gasnet_QueryGexObjects(&client, &ep, &tm, &segment);
  CHECK_EQ(strcmp(gex_Client_QueryName(client), "LEGACY"), 0);
  CHECK(gex_Client_QueryFlags(client) & GEX_FLAG_USES_GASNET1);
  CHECK_EQ(gex_TM_QueryRank(tm), me);
  CHECK_EQ(gex_TM_QuerySize(tm), nranks);
  CHECK(gex_Segment_QueryAddr(segment) == (void *)seg(me));
  CHECK_EQ(gex_Segment_QuerySize(segment), seg_size(me));
  CHECK(gex_EP_QuerySegment(ep) == segment);
  gex_Event_Wait(gex_EP_QueryBoundSegmentNB(tm, next_rank(), &there, NULL, &size, 0));
  CHECK(there == (void *)seg(next_rank()));
  CHECK_EQ(size, seg_size(next_rank()));
  CHECK_EQ(gex_EP_RegisterHandlers(ep, table, 1), GASNET_OK);
  CHECK_EQ(table[0].gex_index, 255);
  fill(bytes, sizeof bytes, me + 3u);
  gex_RMA_PutBlocking(tm, next_rank(), there, bytes, sizeof bytes, 0);
  barrier();
  CHECK(filled(seg(me), sizeof bytes, prev_rank() + 3u));
  gex_RMA_GetBlocking(tm, back, next_rank(), there, sizeof back, 0);
  CHECK(filled(back, sizeof back, me + 3u));
  gex_AM_RequestMedium1(tm, next_rank(), table[0].gex_index, bytes, sizeof bytes, GEX_EVENT_NOW, 0, (gex_AM_Arg_t)(me + 3u));
  GASNET_BLOCKUNTIL(messages == 1);
  return check_end();
}
