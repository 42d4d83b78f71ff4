// Collectives with GASNET_COLL_AGGREGATE are complete with the one that ends them, blocking or not; aggregates of two teams do not mix.
// ranks: 1 2 3
// modes: par seq
#include "coll.h"

static void body(int index) {
  unsigned image = first_image + (unsigned)index, round, i, j;
  gasnet_team_handle_t copy;
  init_image(index);
  copy = gasnet_coll_team_split(GASNET_TEAM_ALL, 0, me, NULL);
  for (round = 0; round < 20; round++) {
    uint32_t mine[16], all[16][MOST_IMAGES], other[MOST_IMAGES];
    int flags = GASNET_COLL_LOCAL | (round % 4 == 0 ? ALLALL : MYMY);
    gasnet_coll_handle_t handle = GASNET_COLL_INVALID_HANDLE, apart;
    memset(all, 255, sizeof all), memset(other, 255, sizeof other);
    for (i = 0; i < 16; i++) mine[i] = 100 * i + image;
    for (i = 0; i < 15; i++) (void)gasnet_coll_gather_all_nb(GASNET_TEAM_ALL, all[i], mine + i, 4, flags | GASNET_COLL_AGGREGATE);
    apart = gasnet_coll_gather_all_nb(copy, other, mine, 4, flags);
    if (round % 2) handle = gasnet_coll_gather_all_nb(GASNET_TEAM_ALL, all[15], mine + 15, 4, flags);
    else gasnet_coll_gather_all(GASNET_TEAM_ALL, all[15], mine + 15, 4, flags);
    gasnet_coll_wait_sync(handle);
    for (i = 0; i < 16; i++)
      for (j = 0; j < nimages; j++) CHECK(all[i][j] == 100 * i + j);
    gasnet_coll_wait_sync(apart);
    for (j = 0; j < nimages; j++) CHECK(other[j] == j);
  }
  image_barrier(copy);
  gasnete_coll_team_free(copy);
}

int main(int argc, char **argv) {
  check_start(&argc, &argv, NULL, 0, KiB(64));
  count_images(1);
  as_images(body);
  return check_end();
}
