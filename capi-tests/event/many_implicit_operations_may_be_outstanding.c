// 70000 implicit puts and as many gets may be outstanding at once; one sync completes all.
// ranks: 1 2 3
#include "check.h"

enum { N = 70000 };
static uint32_t from[N], to[N];
int main(int argc, char **argv) {
  gasnet_node_t r;
  int i;
  check_start(&argc, &argv, NULL, 0, MiB(1));
  r = next_rank();
  for (i = 0; i < N; i++) from[i] = (uint32_t)i * 2654435761u + me;
  for (i = 0; i < N; i++) gasnet_put_nbi_bulk(r, seg(r) + 4 * i, &from[i], 4);
  gasnet_wait_syncnbi_puts();
  for (i = 0; i < N; i++) gasnet_get_nbi_bulk(&to[i], r, seg(r) + 4 * i, 4);
  gasnet_wait_syncnbi_gets();
  CHECK(memcmp(from, to, sizeof to) == 0);
  memset(to, 0, sizeof to);
  gasnet_begin_nbi_accessregion();
  for (i = 0; i < N; i++) gasnet_get_nbi_bulk(&to[i], r, seg(r) + 4 * i, 4);
  gasnet_wait_syncnb(gasnet_end_nbi_accessregion());
  CHECK(memcmp(from, to, sizeof to) == 0);
  return check_end();
}
