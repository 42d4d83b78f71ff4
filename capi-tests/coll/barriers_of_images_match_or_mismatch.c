// GASNET_BARRIERFLAG_IMAGES: every image notifies and waits, and all see whether names of images match, on the team of all and on parts.
// ranks: 1 2 3
// modes: par seq
#include "coll.h"

static uint32_t came[2];

static void on(gasnet_team_handle_t team, int index, unsigned image, unsigned images, uint32_t *count) {
  unsigned round;
  for (round = 0; round < 40; round++) {
    unsigned odd = round % images;
    int id = 3, flags = IMAGES, wanted = GASNET_OK, result, name = 0;
    switch (round % 4) {
      case 1: flags |= image % 2 ? ANON : 0; break;
      case 2: id += image == odd, wanted = images > 1 ? GASNET_ERR_BARRIER_MISMATCH : GASNET_OK; break;
      case 3: flags |= image == odd ? GASNET_BARRIERFLAG_MISMATCH : 0, wanted = GASNET_ERR_BARRIER_MISMATCH; break;
    }
    __atomic_add_fetch(count, 1, __ATOMIC_RELAXED);
    gasnet_coll_barrier_notify(team, id, flags);
    if (round % 3) result = gasnet_coll_barrier_wait(team, id, flags);
    else while ((result = gasnet_coll_barrier_try(team, id, flags)) == GASNET_ERR_NOT_READY) ;
    CHECK_EQ(result, wanted);
    /* All images of this rank have come as often. */
    CHECK(__atomic_load_n(count, __ATOMIC_RELAXED) >= counts[me] * (round + 1));
    CHECK(gasnet_coll_barrier(team, 0, ANON | IMAGES) == GASNET_OK);
    if (index == 0) CHECK(gasnet_coll_barrier_result(team, &name) != 0);
    CHECK(gasnet_coll_barrier(team, 0, ANON | IMAGES) == GASNET_OK);
  }
}

static void body(int index) {
  gasnet_team_handle_t part;
  unsigned image = first_image + (unsigned)index, r, images = 0, before = 0;
  init_image(index);
  on(GASNET_TEAM_ALL, index, image, nimages, &came[0]);
  part = gasnet_coll_team_split(GASNET_TEAM_ALL, me % 2, me, NULL);
  for (r = me % 2; r < nranks; r += 2) before += r < me ? counts[r] : 0, images += counts[r];
  on(part, index, before + (unsigned)index, images, &came[1]);
  gasnete_coll_team_free(part);
}

int main(int argc, char **argv) {
  check_start(&argc, &argv, NULL, 0, KiB(64));
  count_images(1);
  as_images(body);
  return check_end();
}
