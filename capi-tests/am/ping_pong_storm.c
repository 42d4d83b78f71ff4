// Pairs of ranks exchange requests that are answered by requests from the main loop, many in flight both ways.
// ranks: 2 4
#include "check.h"

enum { BALLS = 50, HITS = 200 };
static volatile int got;
static int queue[BALLS * 2 + 8];
static volatile int head, tail;
static void ball(gasnet_token_t t, gasnet_handlerarg_t hits) {
  (void)t;
  queue[head % COUNT_OF(queue)] = hits;
  head++;
  got++;
}

int main(int argc, char **argv) {
  gasnet_handlerentry_t table[] = { HANDLER(200, ball) };
  gasnet_node_t peer;
  int i, finished = 0;
  check_start(&argc, &argv, table, 1, 0);
  peer = me ^ 1;
  for (i = 0; i < BALLS; i++) CHECK(gasnet_AMRequestShort1(peer, 200, 1) == GASNET_OK);
  while (finished < BALLS * 2) {
    int hits;
    GASNET_BLOCKUNTIL(head != tail);
    hits = queue[tail % COUNT_OF(queue)];
    tail++;
    if (hits == HITS) finished++;                 /* it ends here: tell the other side */
    else if (hits > HITS) finished++;
    if (hits <= HITS) CHECK(gasnet_AMRequestShort1(peer, 200, hits + 1) == GASNET_OK);
  }
  return check_end();
}
