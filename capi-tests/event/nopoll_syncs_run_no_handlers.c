// The _nopoll tries run no handler, though a message has come; and find completed operations as well, given polls elsewhere.
#include "check.h"

static volatile int got;
static void on_note(gasnet_token_t t) { (void)t; got++; }

int main(int argc, char **argv) {
  gasnet_handlerentry_t table[] = { HANDLER(200, on_note) };
  gasnet_handle_t h[3];
  static unsigned char a[3][1000], b[3][1000];
  gasnet_node_t r;
  int i, round, before;
  check_start(&argc, &argv, table, 1, KiB(64));
  r = next_rank();
  for (round = 0; round < 30; round++) {
    for (i = 0; i < 3; i++) fill(a[i], 1000, (unsigned)(i + round)), h[i] = gasnet_put_nb_bulk(r, seg(r) + i * 1000, a[i], 1000);
    CHECK(gasnet_AMRequestShort0(r, 200) == GASNET_OK);
    before = got; /* both calls may have polled */
    for (i = 0; i < 20; i++) {
      usleep(50);
      gasnet_try_syncnb_all_nopoll(h, 3);
      gasnet_try_syncnb_some_nopoll(h, 3);
      if (h[0] != GASNET_INVALID_HANDLE && gasnet_try_syncnb_nopoll(h[0]) == GASNET_OK) h[0] = GASNET_INVALID_HANDLE;
      CHECK(got == before);
    }
    while (gasnet_try_syncnb_all_nopoll(h, 3) != GASNET_OK) gasnet_AMPoll();
    GASNET_BLOCKUNTIL(got > round);
    for (i = 0; i < 3; i++) h[i] = gasnet_get_nb_bulk(b[i], r, seg(r) + i * 1000, 1000);
    while (gasnet_try_syncnb_nopoll(h[0]) != GASNET_OK) gasnet_AMPoll();
    h[0] = GASNET_INVALID_HANDLE;
    while (h[1] != GASNET_INVALID_HANDLE || h[2] != GASNET_INVALID_HANDLE)
      if (gasnet_try_syncnb_some_nopoll(h, 3) != GASNET_OK) gasnet_AMPoll();
    for (i = 0; i < 3; i++) CHECK(filled(b[i], 1000, (unsigned)(i + round)));
  }
  CHECK(got <= 30);
  return check_end();
}
