// Longs, LongAsyncs and Long replies of any size go to data, heap, mappings and stacks; their handlers find them in place.
// cflags: -DGASNET_SEGMENT_EVERYTHING -fno-pie -no-pie
#include "check.h"
#define tell_areas gasnet_put_bulk
#include "areas.h"

static const size_t sizes[] = { 0, 1, 100, 5000, 65536, 70000, 200000 };
static volatile int asked, answered;
static char answers[AREA];
static size_t most;

static void on_long(gasnet_token_t t, void *buf, size_t n, gasnet_handlerarg_t a, gasnet_handlerarg_t seed) {
  CHECK((char *)buf == area[me][a] && filled(buf, n, (unsigned)seed));
  CHECK(gasnet_AMReplyLong2(t, 201, buf, n < most ? n : most, answers, seed, (gasnet_handlerarg_t)n) == GASNET_OK);
  asked++;
}
static void on_answer(gasnet_token_t t, void *buf, size_t n, gasnet_handlerarg_t seed, gasnet_handlerarg_t sent) {
  (void)t;
  CHECK((char *)buf == answers && n == ((size_t)sent < most ? (size_t)sent : most) && filled(buf, n, (unsigned)seed));
  answered++;
}

int main(int argc, char **argv) {
  gasnet_handlerentry_t table[] = { HANDLER(200, on_long), HANDLER(201, on_answer) };
  char stack[AREA];
  static char source[AREA];
  int a, s, sent = 0, async;
  gasnet_node_t to, k;
  check_start(&argc, &argv, table, 2, 0);
  most = gasnet_AMMaxLongReply();
  find_areas(stack);
  for (k = 0; k < nranks; k++) {
    to = (me + k) % nranks;
    for (a = 0; a < AREAS; a++)
      for (s = 0; s < COUNT_OF(sizes); s++)
        for (async = 0; async < 2; async++) {
          size_t n = sizes[s] < gasnet_AMMaxLongRequest() ? sizes[s] : gasnet_AMMaxLongRequest();
          int seed = (int)me * 100 + a * 10 + s;
          fill(source, n, (unsigned)seed);
          if (async) CHECK(gasnet_AMRequestLongAsync2(to, 200, source, n, area[to][a], a, seed) == GASNET_OK);
          else CHECK(gasnet_AMRequestLong2(to, 200, source, n, area[to][a], a, seed) == GASNET_OK);
          if (!async) memset(source, 0, n);
          sent++;
          GASNET_BLOCKUNTIL(answered == sent);
        }
    barrier();
  }
  CHECK_EQ(asked, sent);
  return check_end();
}
