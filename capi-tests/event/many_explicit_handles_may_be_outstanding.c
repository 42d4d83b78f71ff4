// 65535 explicit puts and gets may be outstanding on a thread; all complete, by wait_all, in reverse single waits and by try.
// ranks: 1 2 3
#include "check.h"

enum { N = 65535 };
static gasnet_handle_t h[N];
static uint32_t from[N], to[N];
int main(int argc, char **argv) {
  gasnet_node_t r;
  int i, round;
  check_start(&argc, &argv, NULL, 0, MiB(1));
  r = next_rank();
  for (round = 0; round < 3; round++) {
    for (i = 0; i < N; i++) from[i] = (uint32_t)(i * 2654435761u + (unsigned)round + me);
    for (i = 0; i < N; i++) h[i] = gasnet_put_nb_bulk(r, seg(r) + 4 * i, &from[i], 4);
    if (round == 0) gasnet_wait_syncnb_all(h, N);
    else if (round == 1) for (i = N - 1; i >= 0; i--) gasnet_wait_syncnb(h[i]);
    else for (i = 0; i < N; i++) while (gasnet_try_syncnb(h[i]) != GASNET_OK) ;
    memset(to, 0, sizeof to);
    for (i = 0; i < N; i++) h[i] = gasnet_get_nb_bulk(&to[i], r, seg(r) + 4 * i, 4);
    if (round == 0) while (gasnet_try_syncnb_all(h, N) != GASNET_OK) ;
    else gasnet_wait_syncnb_all(h, N);
    for (i = 0; i < N; i++) CHECK(h[i] == GASNET_INVALID_HANDLE);
    CHECK(memcmp(from, to, sizeof to) == 0);
  }
  return check_end();
}
