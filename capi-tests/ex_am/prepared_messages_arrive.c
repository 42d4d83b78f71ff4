// Prepared messages arrive: requests and replies, Medium and Long, from buffers of the library's and of the client's, of every size, also cut at Commit.
#include "check_ex.h"

static volatile int replies;
static gex_Event_t event;
/* Handlers may run while a request is committed. */
static char mine[KiB(160)], handlers_own[KiB(160)];
enum { ROOM = KiB(192) };

/* The payload of `n` bytes is a pattern by its length. */
static void check_payload(void *b, size_t n) { CHECK(n == 0 || filled(b, n, (unsigned)n)); }
static gex_Rank_t source(gex_Token_t t) {
  gex_Token_Info_t info;
  gex_Token_Info(t, &info, GEX_TI_SRCRANK);
  return info.gex_srcrank;
}
/* The part of the prepared buffer that is sent. */
static size_t some(gex_AM_SrcDesc_t sd, size_t least, size_t most, int cut) {
  size_t size = gex_AM_SrcDescSize(sd);
  CHECK(size >= least && size <= most);
  return cut ? size / 2 : size;
}
static void mreq(gex_Token_t t, void *b, size_t n, gex_AM_Arg_t own, gex_AM_Arg_t cut) {
  gex_AM_SrcDesc_t sd;
  check_payload(b, n);
  CHECK((uintptr_t)b % 8 == 0);
  sd = gex_AM_PrepareReplyMedium(t, own ? NULL : handlers_own, 1, n ? n : 1, own ? NULL : GEX_EVENT_NOW, 0, 1);
  CHECK(own ? (uintptr_t)gex_AM_SrcDescAddr(sd) % 16 == 0 : gex_AM_SrcDescAddr(sd) == handlers_own);
  n = some(sd, 1, n ? n : 1, cut);
  fill(gex_AM_SrcDescAddr(sd), n, (unsigned)n);
  gex_AM_CommitReplyMedium1(sd, 201, n, 7);
}
static void mrep(gex_Token_t t, void *b, size_t n, gex_AM_Arg_t seven) { (void)t; CHECK_EQ(seven, 7); check_payload(b, n); replies++; }
static void lreq(gex_Token_t t, void *b, size_t n, gex_AM_Arg_t own, gex_AM_Arg_t cut) {
  char *to = seg(source(t)) + ROOM;
  gex_AM_SrcDesc_t sd;
  check_payload(b, n);
  CHECK(b == seg(me));
  sd = gex_AM_PrepareReplyLong(t, own ? NULL : handlers_own, 1, n ? n : 1, cut ? to : NULL, own ? NULL : &event, 0, 1);
  n = some(sd, 1, n ? n : 1, cut);
  fill(gex_AM_SrcDescAddr(sd), n, (unsigned)n);
  gex_AM_CommitReplyLong(sd, 203, n, to, 8);
}
static void lrep(gex_Token_t t, void *b, size_t n, gex_AM_Arg_t eight) {
  (void)t;
  CHECK_EQ(eight, 8);
  CHECK(b == seg(me) + ROOM);
  check_payload(b, n);
  replies++;
}

static void medium(size_t size, int own, int cut) {
  gex_Event_t told;
  size_t least = size / 2 + 1, n, most;
  gex_AM_SrcDesc_t sd;
  most = gex_AM_MaxRequestMedium(world, next_rank(), own ? NULL : &told, own ? GEX_FLAG_AM_PREPARE_LEAST_ALLOC : GEX_FLAG_AM_PREPARE_LEAST_CLIENT, 2);
  if (least > most) return;
  sd = gex_AM_PrepareRequestMedium(world, next_rank(), own ? NULL : mine, least, size, own ? NULL : &told, 0, 2);
  n = some(sd, least, size, cut);
  fill(gex_AM_SrcDescAddr(sd), n, (unsigned)n);
  if (cut) gex_AM_CommitRequestMedium2(sd, 200, n, own, cut);
  else CHECK(gex_AM_CommitRequestMedium_v2(sd, 200, n, 0, own, cut) == 0);
  if (!own) gex_Event_Wait(told);
}
static void lng(size_t size, int own, int cut) {
  size_t least = 1, n, most;
  gex_AM_SrcDesc_t sd;
  most = gex_AM_MaxRequestLong(world, next_rank(), own ? NULL : GEX_EVENT_NOW, own ? GEX_FLAG_AM_PREPARE_LEAST_ALLOC : GEX_FLAG_AM_PREPARE_LEAST_CLIENT, 2);
  if (size <= most) least = size;
  sd = gex_AM_PrepareRequestLong(world, next_rank(), own ? NULL : mine, least, size, cut ? seg(next_rank()) : NULL, own ? NULL : GEX_EVENT_NOW, 0, 2);
  n = some(sd, least, size, cut);
  fill(gex_AM_SrcDescAddr(sd), n, (unsigned)n);
  if (cut) gex_AM_CommitRequestLong(sd, 202, n, seg(next_rank()), own, cut);
  else CHECK(gex_AM_CommitRequestLong2_v2(sd, 202, n, seg(next_rank()), 0, own, cut) == 0);
}

int main(int argc, char **argv) {
  static const size_t sizes[] = { 1, 7, 64, 300, 512, 1000, 1024, 1025, 4096, 8192, 8193, 30000, 65000, 65536, 100000, KiB(160) };
  static gex_AM_Entry_t table[] = { CHECK_AM(200, mreq, MEDIUM, REQUEST, 2), CHECK_AM(201, mrep, MEDIUM, REPLY, 1),
                                    CHECK_AM(202, lreq, LONG, REQUEST, 2), CHECK_AM(203, lrep, LONG, REPLY, 1) };
  int i, way, sent = 0;
  check_start(&argc, &argv, table, COUNT_OF(table), KiB(512));
  for (i = 0; i < COUNT_OF(sizes); i++)
    for (way = 0; way < 4; way++) {
      if (sizes[i] <= 65536) {
        int before = replies;
        medium(sizes[i], way & 1, way >> 1);
        if (sizes[i] / 2 + 1 <= gex_AM_LUBRequestMedium()) GASNET_BLOCKUNTIL(replies > before);
        sent++;
      }
      {
        int before = replies;
        barrier();
        lng(sizes[i], way & 1, way >> 1);
        GASNET_BLOCKUNTIL(replies > before);
        barrier();
      }
    }
  CHECK(sent > 0);
  return check_end();
}
