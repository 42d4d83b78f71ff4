// Tens of thousands of collectives of images are in flight at once, and are synchronised in any order.
// ranks: 2
// modes: par seq
// once: yes
#include "coll.h"

#define N 65535

static void body(int index) {
  unsigned image = first_image + (unsigned)index, i, left;
  uint16_t *src = (uint16_t *)calloc(N, sizeof *src), *dst = (uint16_t *)calloc((size_t)N * nimages, sizeof *dst);
  gasnet_coll_handle_t *handles = (gasnet_coll_handle_t *)calloc(N, sizeof *handles);
  init_image(index);
  for (i = 0; i < N; i++) {
    src[i] = (uint16_t)(i * 3 + image);
    if (i % 8 == 0) handles[i] = gasnet_coll_gather_all_nb(GASNET_TEAM_ALL, dst + (size_t)i * nimages, src + i, 2, GASNET_COLL_LOCAL | MYMY);
    else handles[i] = gasnet_coll_broadcast_nb(GASNET_TEAM_ALL, dst + (size_t)i * nimages, i % nimages, src + i, 2, GASNET_COLL_LOCAL | MYMY);
  }
  for (i = N; i-- > N - 5000;) gasnet_coll_wait_sync(handles[i]);
  gasnet_coll_wait_sync_all(handles, 30000);
  for (left = N - 5000 - 30000; left > 0;) {
    gasnet_coll_handle_t *rest = handles + 30000;
    unsigned many = left < 100 ? left : 100;
    if (many % 2) while (gasnet_coll_try_sync_all(rest + left - many, many) != GASNET_OK) ;
    else while (gasnet_coll_try_sync_some(rest + left - many, many) != GASNET_OK) ;
    gasnet_coll_wait_sync_all(rest + left - many, many);
    left -= many;
  }
  for (i = 0; i < N; i++) {
    unsigned from;
    for (from = 0; from < nimages; from++)
      if (i % 8 == 0) CHECK(dst[(size_t)i * nimages + from] == (uint16_t)(i * 3 + from));
    if (i % 8) CHECK(dst[(size_t)i * nimages] == (uint16_t)(i * 3 + i % nimages));
  }
  image_barrier(GASNET_TEAM_ALL);
  free(src), free(dst), free(handles);
}

int main(int argc, char **argv) {
  check_start(&argc, &argv, NULL, 0, KiB(64));
  count_images(0);
  as_images(body);
  return check_end();
}
