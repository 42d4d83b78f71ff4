// The handler that gex_VIS_SetPeerCompletionHandler names runs at the target of the next put, once, with its payload, after all data of that put; an empty put counts, and handler 0 takes it back.
#include "vis.h"

enum { N = 4000, PIECE = 40, TURNS = 60, DONE = 200 };
static int arrivals[TURNS + 1], late;
static char *where;

/* Payload: the turn, and bytes derived from it. */
static void on_done(gex_Token_t token, void *buf, size_t nbytes) {
  int32_t turn = TURNS, i;
  gex_Token_Info_t info;
  gex_TI_t known = gex_Token_Info(token, &info, GEX_TI_ALL);
  if (nbytes) {
    MUST(nbytes >= sizeof turn && nbytes <= GEX_VIS_MAX_PEERCOMPLETION);
    memcpy(&turn, buf, sizeof turn);
    CHECK(all_bytes((char *)buf + 4, nbytes - 4, turn & 0xff));
    for (i = 0; i < N; i++) late += where[i * (PIECE + 8)] != (char)turn || where[i * (PIECE + 8) + PIECE - 1] != (char)turn;
  }
  CHECK((known & GEX_TI_SRCRANK) && info.gex_srcrank == prev_rank());
  CHECK(!(known & GEX_TI_IS_REQ) || !info.gex_is_req);
  arrivals[turn]++;
}

int main(int argc, char **argv) {
  gex_AM_Entry_t entry = { DONE, (gex_AM_Fn_t)on_done, GEX_FLAG_AM_MEDIUM | GEX_FLAG_AM_REPLY, 0, NULL, "done" };
  static gex_Memvec_t there[N], here[N];
  gex_EP_t ep;
  char *source;
  unsigned char payload[GEX_VIS_MAX_PEERCOMPLETION];
  ptrdiff_t wide[1] = { PIECE + 8 }, packed[1] = { PIECE };
  size_t count[1] = { N }, i;
  int32_t turn;
  vis_start(&argc, &argv, NULL, 0, MiB(1));
  where = seg(me);
  gasnet_QueryGexObjects(NULL, &ep, NULL, NULL);
  MUST(gex_EP_RegisterHandlers(ep, &entry, 1) == GASNET_OK);
  barrier();
  source = (char *)malloc(N * PIECE);
  for (i = 0; i < N; i++) {
    there[i].gex_addr = seg(next_rank()) + i * (PIECE + 8), here[i].gex_addr = source + i * PIECE;
    there[i].gex_len = here[i].gex_len = PIECE;
  }
  for (turn = 0; turn < TURNS; turn++) {
    memset(source, turn, N * PIECE);
    memset(payload, turn, sizeof payload), memcpy(payload, &turn, sizeof turn);
    gex_VIS_SetPeerCompletionHandler(DONE, payload, turn % 3 ? sizeof payload : 4 + (size_t)turn, 0);
    if (turn % 2) gex_Event_Wait(gex_VIS_VectorPutNB(tm, next_rank(), N, there, N, here, 0));
    else gex_Event_Wait(gex_VIS_StridedPutNB(tm, next_rank(), seg(next_rank()), wide, source, packed, PIECE, count, 1, 0));
    /* Not followed by anything. */
    gex_VIS_SetPeerCompletionHandler(DONE, payload, 4, 0), gex_VIS_SetPeerCompletionHandler(0, NULL, 0, 0);
    gex_VIS_VectorPutBlocking(tm, next_rank(), 1, there, 1, here, 0);
    GASNET_BLOCKUNTIL(arrivals[turn] == 1);
    barrier();
  }
  gex_VIS_SetPeerCompletionHandler(DONE, NULL, 0, 0);
  gex_VIS_VectorPutBlocking(tm, next_rank(), 0, NULL, 0, NULL, 0);
  GASNET_BLOCKUNTIL(arrivals[TURNS] == 1);
  barrier();
  for (turn = 0; turn <= TURNS; turn++) CHECK_EQ(arrivals[turn], 1);
  CHECK_EQ(late, 0);
  return check_end();
}
