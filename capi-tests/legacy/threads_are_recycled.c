// More threads than the limit may come and go, each using GASNet and leaving with nothing outstanding.
// ranks: 1 2
// modes: par
#include "check.h"

static volatile int dummy;
static int replies;
static void req(gasnet_token_t t) { CHECK(gasnet_AMReplyShort0(t, 201) == GASNET_OK); }
static void rep(gasnet_token_t t) { (void)t; __atomic_add_fetch(&replies, 1, 5); }
static void work(int i) {
  uint64_t v = 0;
  gasnet_put_nbi_val(next_rank(), seg(next_rank()) + 8 * (unsigned)(i + 1), (unsigned)i + 7, 8);
  gasnet_wait_syncnbi_all();
  gasnet_wait_syncnb(gasnet_get_nb_bulk(&v, next_rank(), seg(next_rank()) + 8 * (unsigned)(i + 1), 8));
  CHECK_EQ(v, (unsigned)i + 7);
  CHECK(gasnet_AMRequestShort0(next_rank(), 200) == GASNET_OK);
}

int main(int argc, char **argv) {
  gasnet_handlerentry_t table[] = { HANDLER(200, req), HANDLER(201, rep) };
  int i;
  check_start(&argc, &argv, table, 2, GASNET_PAGESIZE);
  for (i = 0; i < 150; i++) on_threads(4, work);
  GASNET_BLOCKUNTIL(__atomic_load_n(&replies, 5) == 600);
  return check_end();
}
