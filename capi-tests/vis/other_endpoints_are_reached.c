// Transfers reach segments of other endpoints, made by the library or by the client, through a pair; a peer completion runs there, by that endpoint's own handler.
#include "check_ex.h"
#include <gasnet_vis.h>

enum { ROWS = 700, ROW = 40, PITCH = 64, BYTES = 1 << 16, DONE = 210 };
static gex_EP_t eps[2];
static int done[2];
static char *mine[2];

static void on_done(gex_Token_t token, void *buf, size_t nbytes) {
  gex_Token_Info_t info;
  int which = nbytes == 1 ? *(char *)buf : 2, i;
  gex_Token_Info(token, &info, GEX_TI_ALL);
  MUST(which < 2);
  CHECK(info.gex_ep == eps[which]);
  CHECK(info.gex_srcrank == prev_rank());
  for (i = 0; i < ROWS; i++) CHECK(all_bytes(mine[which] + i * PITCH, ROW, 0x40 + which));
  done[which]++;
}

int main(int argc, char **argv) {
  gex_AM_Entry_t entry[] = { CHECK_AM(DONE, on_done, MEDIUM, REPLY, 0) };
  static char source[ROWS * ROW], back[ROWS * ROW];
  ptrdiff_t wide[1] = { PITCH }, packed[1] = { ROW };
  size_t count[1] = { ROWS };
  int which;
  check_start(&argc, &argv, NULL, 0, KiB(64));
  for (which = 0; which < 2; which++) {
    gex_Segment_t segment;
    void *memory = which ? malloc(BYTES) : NULL;
    MUST(gex_EP_Create(&eps[which], client, GEX_EP_CAPABILITY_ALL, 0) == GASNET_OK);
    MUST(gex_Segment_Create(&segment, client, memory, BYTES, GEX_MK_HOST, 0) == GASNET_OK);
    MUST(gex_EP_BindSegment(eps[which], segment, 0) == GASNET_OK);
    MUST(gex_EP_RegisterHandlers(eps[which], entry, 1) == GASNET_OK);
    mine[which] = (char *)gex_Segment_QueryAddr(segment);
  }
  MUST(gex_EP_PublishBoundSegment(world, eps, 2, 0) == GASNET_OK);
  barrier();
  for (which = 0; which < 2; which++) {
    gex_TM_t pair = gex_TM_Pair(eps[1 - which], gex_EP_QueryIndex(eps[which]));
    void *far = NULL;
    char payload = (char)which;
    gex_Event_Wait(gex_EP_QueryBoundSegmentNB(pair, next_rank(), &far, NULL, NULL, 0));
    memset(source, 0x40 + which, sizeof source);
    gex_VIS_SetPeerCompletionHandler(DONE, &payload, 1, 0);
    gex_Event_Wait(gex_VIS_StridedPutNB(pair, next_rank(), far, wide, source, packed, ROW, count, 1, 0));
    GASNET_BLOCKUNTIL(done[which] == 1);
    memset(back, 0, sizeof back);
    CHECK(gex_VIS_StridedGetBlocking(pair, back, packed, next_rank(), far, wide, ROW, count, 1, 0) == 0);
    CHECK(memcmp(source, back, sizeof back) == 0);
    barrier();
  }
  return check_end();
}
