// With GASNET_SEGMENT_EVERYTHING, ranks that only a network joins reach all memory of each other: statics and heap.
// ranks: 2 3 4
// needs: [ -z "$LAUNCH" ]
// cflags: -DGASNET_SEGMENT_EVERYTHING -fno-pie -no-pie
// env: GASNET_CONDUIT=loopback GASNET_SUPERNODE_MAXSIZE=1
#include "check.h"

enum { N = 200000 };
static char in_data[N];
static char *heaps[64]; /* by rank: told by its owner */
static volatile int hits;
static void on_long(gasnet_token_t t, void *buf, size_t n) {
  gasnet_node_t from;
  CHECK(gasnet_AMGetMsgSource(t, &from) == GASNET_OK);
  CHECK(from == prev_rank() && (char *)buf == heaps[me] && n == 5000 && filled(buf, n, from));
  hits++;
}

int main(int argc, char **argv) {
  gasnet_handlerentry_t table[] = { HANDLER(200, on_long) };
  gasnet_nodeinfo_t node[64];
  static char source[N], back[N];
  char *here;
  gasnet_node_t i, to;
  check_init(&argc, &argv);
  check_attach(table, 1, 0);
  CHECK(gasnet_getNodeInfo(node, (int)nranks) == GASNET_OK);
  for (i = 0; i < nranks; i++) {
    CHECK(seg(i) == NULL && seg_size(i) == (uintptr_t)-1);
    CHECK_EQ(node[i].supernode, i);
  }
  here = heaps[me] = (char *)malloc(N);
  MUST(here != NULL);
  /* The ranks are forks of one process, so statics have the same address in all. */
  for (i = 0; i < nranks; i++) gasnet_put(i, &heaps[me], &here, sizeof here);
  barrier();
  to = next_rank();
  fill(source, N, me);
  gasnet_put_bulk(to, heaps[to], source, N);
  gasnet_put_nbi(to, in_data, source, N);
  gasnet_wait_syncnbi_all();
  barrier();
  CHECK(filled(here, N, prev_rank()));
  CHECK(filled(in_data, N, prev_rank()));
  gasnet_get_bulk(back, to, heaps[to], N);
  CHECK(filled(back, N, me));
  barrier();
  gasnet_memset(to, heaps[to], 9, 100);
  gasnet_get(back, to, heaps[to], 100);
  CHECK(all_bytes(back, 100, 9));
  gasnet_put_val(to, heaps[to], 0x1234, 8);
  CHECK(gasnet_get_val(to, heaps[to], 8) == 0x1234);
  barrier();
  CHECK(gasnet_AMRequestLong0(to, 200, source, 5000, heaps[to]) == GASNET_OK);
  GASNET_BLOCKUNTIL(hits == 1);
  return check_end();
}
