// Inclusive and exclusive scans from one block-cyclic layout to another, or from and to one image, against one loop.
// ranks: 1 2 3
// modes: par seq
#include "coll.h"

#define COUNT 70

static unsigned where(size_t e, size_t block, size_t offset, size_t *at) {
  size_t place = e + offset, number;
  if (block == 0) {
    *at = e;
    return (unsigned)offset;
  }
  number = place / block;
  *at = number / nimages * block + place % block;
  return (unsigned)(number % nimages);
}

static void one(unsigned image, unsigned round) {
  uint64_t state = 31 + round;
  size_t sblock = rnd(&state) % 5, dblock = rnd(&state) % 5, count = 1 + rnd(&state) % COUNT, e, at;
  size_t soffset = rnd(&state) % (sblock ? 15 : nimages), doffset = rnd(&state) % (dblock ? 15 : nimages);
  int exclusive = round % 2, flags = GASNET_COLL_LOCAL | (round % 3 ? MYMY : ALLALL);
  static affine srcs[MOST_IMAGES][4 * COUNT], dsts[MOST_IMAGES][4 * COUNT];
  affine *src = srcs[image], *dst = dsts[image], wanted[COUNT], untouched = { 4, 4 };
  unsigned i;
  for (e = 0; e < 4 * COUNT; e++) dst[e] = untouched;
  if (round % 4 == 0) dblock = sblock, doffset = soffset;
  for (e = 0; e < count; e++) {
    affine f = any_affine(&state);
    wanted[e] = e ? then(wanted[e - 1], f) : f;
    if (where(e, sblock, soffset, &at) == image) src[at] = f;
  }
  flags |= exclusive ? GASNET_COLL_EXCLUSIVE_SCAN : GASNET_COLL_INCLUSIVE_SCAN;
  if (round % 5 == 0) {
    void *from[MOST_IMAGES], *to[MOST_IMAGES];
    for (i = 0; i < counts[me]; i++) from[i] = srcs[first_image + i], to[i] = dsts[first_image + i];
    image_barrier(GASNET_TEAM_ALL);
    if (round % 2) gasnet_coll_scanM(GASNET_TEAM_ALL, to, dblock, doffset, from, sblock, soffset, sizeof(affine), count, COMPOSE, 7, flags);
    else gasnet_coll_wait_sync(gasnet_coll_scanM_nb(GASNET_TEAM_ALL, to, dblock, doffset, from, sblock, soffset, sizeof(affine), count, COMPOSE, 7, flags));
  } else if (round % 2) gasnet_coll_scan(GASNET_TEAM_ALL, dst, dblock, doffset, src, sblock, soffset, sizeof(affine), count, COMPOSE, 7, flags);
  else gasnet_coll_wait_sync(gasnet_coll_scan_nb(GASNET_TEAM_ALL, dst, dblock, doffset, src, sblock, soffset, sizeof(affine), count, COMPOSE, 7, flags));
  image_barrier(GASNET_TEAM_ALL);
  for (e = 0; e < count; e++)
    if (where(e, dblock, doffset, &at) == image) {
      affine f = !exclusive ? wanted[e] : e ? wanted[e - 1] : untouched;
      CHECK(dst[at].a == f.a && dst[at].b == f.b);
      dst[at] = untouched;
    }
  for (e = 0; e < 4 * COUNT; e++) CHECK(dst[e].a == 4 && dst[e].b == 4);
  image_barrier(GASNET_TEAM_ALL);
}

static void body(int index) {
  unsigned round;
  init_image(index);
  for (round = 0; round < 60; round++) one(first_image + (unsigned)index, round);
}

int main(int argc, char **argv) {
  check_start(&argc, &argv, NULL, 0, KiB(64));
  count_images(2);
  as_images(body);
  return check_end();
}
