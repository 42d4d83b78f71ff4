// A Medium longer than gasnet_AMMaxMedium() ends the job with an error that names the limit, also in release clients; it does not hang.
// ranks: 2
// expect: exit nonzero; stderr /Medium.*70000/
// time: 20
#include "check.h"

static void none(gasnet_token_t t, void *b, size_t n) { (void)t, (void)b, (void)n; }
int main(int argc, char **argv) {
  gasnet_handlerentry_t table[] = { HANDLER(200, none) };
  static char bytes[70000];
  check_start(&argc, &argv, table, 1, 0);
  if (me == 0) gasnet_AMRequestMedium0(1, 200, bytes, sizeof bytes);
  barrier();
  return check_end();
}
