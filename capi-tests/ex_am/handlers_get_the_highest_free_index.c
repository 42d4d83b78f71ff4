// gex_EP_RegisterHandlers gives index 0 the highest free one in table order, after the fixed ones, and may be called again.
#include "check_ex.h"

static volatile int hits[4];
static void h0(gex_Token_t t) { (void)t; hits[0]++; }
static void h1(gex_Token_t t) { (void)t; hits[1]++; }
static void h2(gex_Token_t t) { (void)t; hits[2]++; }
static void h3(gex_Token_t t) { (void)t; hits[3]++; }

int main(int argc, char **argv) {
  gex_AM_Entry_t first[] = { CHECK_AM(0, h0, SHORT, REQUEST, 0), CHECK_AM(254, h1, SHORT, REQREP, 0), CHECK_AM(0, h2, SHORT, REQUEST, 0) };
  gex_AM_Entry_t more[] = { CHECK_AM(0, h3, SHORT, REQUEST, 0), CHECK_AM(252, h0, SHORT, REQUEST, 0) };
  gex_AM_Index_t i;
  check_start(&argc, &argv, first, 3, KiB(64));
  CHECK_EQ(first[0].gex_index, 255);
  CHECK_EQ(first[1].gex_index, 254);
  CHECK_EQ(first[2].gex_index, 253);
  CHECK(gex_EP_RegisterHandlers(endpoint, more, 2) == GASNET_OK);
  CHECK_EQ(more[0].gex_index, 251);
  CHECK_EQ(more[1].gex_index, 252);
  CHECK(gex_EP_RegisterHandlers(endpoint, NULL, 0) == GASNET_OK);
  memset(first, 0, sizeof first); /* it was copied */
  barrier();
  for (i = 255; i >= 251; i--) gex_AM_RequestShort0(world, next_rank(), i, 0);
  GASNET_BLOCKUNTIL(hits[0] == 2 && hits[1] == 1 && hits[2] == 1 && hits[3] == 1);
  return check_end();
}
