// Ranks leave with gasnet_exit(0) while another one's puts, gets, memsets and Longs to them are in flight: the job ends with 0.
// ranks: 2 3 4
// env: GASNET_EXITTIMEOUT=2
// every case: exit 0; chatter; no-stderr /outside/
// case puts:
// case gets:
// case memsets:
// case longs:
// case blocking:
#include "check.h"

enum { N = 4000, OPS = 200 };

static void hit(gasnet_token_t token, void *at, size_t n) { (void)token, (void)at, (void)n; }

int main(int argc, char **argv) {
  gasnet_handlerentry_t table[] = { HANDLER(200, hit) };
  static char bytes[OPS][N];
  const char *kind = argc > 1 ? argv[1] : "";
  int i;
  check_start(&argc, &argv, table, 1, MiB(1));
  MUST(strlen(kind) > 3);
  barrier();
  /* No failure so far; the rest is judged by the exit code of the job. */
  MUST(check_verdict() == 0);
  if (me != 0) gasnet_exit(0);
  for (i = 0; i < OPS; i++) {
    gasnet_node_t to = 1 + (gasnet_node_t)i % (nranks - 1);
    char *there = (char *)seg(to) + (size_t)i * N;
    switch (kind[0]) {
      case 'p': gasnet_put_nbi_bulk(to, there, bytes[i], N); break;
      case 'g': gasnet_get_nbi_bulk(bytes[i], to, there, N); break;
      case 'm': gasnet_memset_nbi(to, there, 1, N); break;
      case 'l': gasnet_AMRequestLong0(to, 200, bytes[i], N, there); break;
      default: gasnet_put_bulk(to, there, bytes[i], N); break;
    }
  }
  for (i = 0; i < OPS; i++) {
    gasnet_node_t to = 1 + (gasnet_node_t)i % (nranks - 1);
    if (kind[0] == 'g') gasnet_get_bulk(bytes[i], to, (char *)seg(to) + (size_t)i * N, N);
    else gasnet_put_bulk(to, (char *)seg(to) + (size_t)i * N, bytes[i], N);
  }
  gasnet_exit(0);
  return 1;
}
