// Every image splits a team; collectives, reductions among them, run over the parts, by image numbers of the part; ranks and nodes translate.
// ranks: 2 3 4
// modes: par seq
#include "coll.h"

static void body(int index) {
  unsigned color = me % 2, r, images = 0, image = 0, size = 0, rank = 0, round, i;
  gasnet_team_handle_t part;
  init_image(index);
  /* Ranks in the part are in the reverse order. */
  part = gasnet_coll_team_split(GASNET_TEAM_ALL, color, nranks - me, NULL);
  for (r = nranks; r-- > 0;)
    if (r % 2 == color) {
      if (r == me) image = images + (unsigned)index, rank = size;
      CHECK_EQ(gasnet_coll_team_rank2node(part, (int)size), r);
      CHECK_EQ(gasnet_coll_team_node2rank(part, r), size);
      images += counts[r], size++;
    }
  CHECK_EQ(gasnet_coll_team_size(part), size);
  CHECK_EQ(gasnete_coll_team_size(part), size);
  CHECK_EQ(gasnete_coll_team_node2rank(part, me), rank);
  for (round = 0; round < 20; round++) {
    uint64_t mine = 10 * round + image, all[MOST_IMAGES], sum = 0, wanted = 0;
    unsigned root = round % images;
    int flags = GASNET_COLL_LOCAL | (round % 3 ? MYMY : ALLALL);
    gasnet_coll_gather_all(part, all, &mine, 8, flags);
    for (i = 0; i < images; i++) CHECK(all[i] == 10 * round + i), wanted += all[i];
    gasnet_coll_reduce(part, root, &sum, &mine, 0, 0, 8, 1, ADD, -3, flags);
    if (image == root) CHECK(sum == wanted);
    gasnet_coll_broadcast(part, &mine, root, image == root ? &sum : NULL, 8, flags);
    CHECK(mine == wanted);
    gasnet_coll_broadcast(GASNET_TEAM_ALL, &mine, round % nimages, &mine, 8, flags);
  }
  /* One thread of each rank, which then is one image. */
  image_barrier(GASNET_TEAM_ALL);
  if (index == 0) {
    uint32_t mine = me, all[MOST_IMAGES];
    gasnet_coll_gather_all(part, all, &mine, 4, GASNET_COLL_LOCAL | MYMY | GASNET_COLL_NO_IMAGES);
    for (i = 0; i < size; i++) CHECK(all[i] == gasnet_coll_team_rank2node(part, (int)i));
  }
  image_barrier(GASNET_TEAM_ALL);
  gasnete_coll_team_free(part);
}

int main(int argc, char **argv) {
  check_start(&argc, &argv, NULL, 0, KiB(64));
  count_images(2);
  as_images(body);
  return check_end();
}
