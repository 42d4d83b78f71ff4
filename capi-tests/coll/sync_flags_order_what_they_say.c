// With IN_ALLSYNC a collective reads data that other ranks put before they called it; after OUT_ALLSYNC all ranks' results may be read, with MYSYNC the own result.
// ranks: 2 3
// modes: par seq
#include "coll.h"

static char *at(unsigned image, int which) { return seg(rank_of[image]) + ((size_t)index_of[image] * 4 + which) * KiB(8); }

static void body(int index) {
  unsigned image = first_image + (unsigned)index, next = (image + 1) % nimages, round;
  init_image(index);
  for (round = 0; round < 30; round++) {
    uint64_t value = 1000 * round + next, got, all[MOST_IMAGES], mine;
    unsigned i, root = round % nimages;
    void *dsts[MOST_IMAGES], *srcs[MOST_IMAGES];
    for (i = 0; i < counts[me]; i++) dsts[i] = at(first_image + i, 1), srcs[i] = at(first_image + i, 0);
    /* The next image's source comes from here. */
    gasnet_put(rank_of[next], at(next, 0), &value, sizeof value);
    if (round % 2) gasnet_coll_gather_all(GASNET_TEAM_ALL, at(image, 1), at(image, 0), 8, GASNET_COLL_LOCAL | ALLALL);
    else gasnet_coll_gather_allM(GASNET_TEAM_ALL, dsts, srcs, 8, GASNET_COLL_LOCAL | ALLALL);
    gasnet_get_bulk(all, rank_of[next], at(next, 1), 8 * nimages);
    for (i = 0; i < nimages; i++) CHECK(all[i] == 1000 * round + i);
    image_barrier(GASNET_TEAM_ALL);
    /* Own source, own result. */
    mine = 77 * round + image;
    gasnet_coll_gather(GASNET_TEAM_ALL, root, all, &mine, 8, GASNET_COLL_LOCAL | MYMY);
    if (image == root) for (i = 0; i < nimages; i++) CHECK(all[i] == 77 * round + i);
    if (image == root) for (i = 0; i < nimages; i++) all[i] += 5;
    gasnet_coll_scatter(GASNET_TEAM_ALL, &got, root, all, 8, GASNET_COLL_LOCAL | MYMY);
    CHECK(got == 77 * round + image + 5);
    gasnet_coll_broadcast(GASNET_TEAM_ALL, &got, root, image == root ? &got : NULL, 8, GASNET_COLL_LOCAL | MYMY);
    CHECK(got == 77 * round + root + 5);
  }
}

int main(int argc, char **argv) {
  check_start(&argc, &argv, NULL, 0, KiB(128));
  count_images(0);
  as_images(body);
  return check_end();
}
