// A message to an endpoint at which its handler was not registered runs the one of that index at the first endpoint.
// ranks: 1 2
#include "check_ex.h"

static int first, own;
static void on_first(gex_Token_t token) {
  (void)token;
  first++;
}
static void on_own(gex_Token_t token) {
  (void)token;
  own++;
}

int main(int argc, char **argv) {
  gex_AM_Entry_t both[] = {CHECK_AM(200, on_first, SHORT, REQUEST, 0), CHECK_AM(201, on_first, SHORT, REQUEST, 0)};
  gex_AM_Entry_t one[] = {CHECK_AM(201, on_own, SHORT, REQUEST, 0)};
  gex_EP_t ep;
  gex_TM_t pair;
  check_start(&argc, &argv, both, 2, KiB(64));
  MUST(gex_EP_Create(&ep, client, GEX_EP_CAPABILITY_AM, 0) == GASNET_OK);
  MUST(gex_EP_RegisterHandlers(ep, one, 1) == GASNET_OK);
  barrier();
  pair = gex_TM_Pair(endpoint, gex_EP_QueryIndex(ep));
  gex_AM_RequestShort0(pair, next_rank(), 200, 0);
  gex_AM_RequestShort0(pair, next_rank(), 201, 0);
  GASNET_BLOCKUNTIL(first == 1 && own == 1);
  barrier();
  CHECK(first == 1 && own == 1);
  return check_end();
}
