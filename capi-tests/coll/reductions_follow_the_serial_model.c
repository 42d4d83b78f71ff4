// Reductions of one vector of each image, and of block-cyclic arrays over the images, by functions that commute or not, against one loop.
// ranks: 1 2 3
// modes: par seq
#include "coll.h"

#define COUNT 60

/* Element e of the array with this block size and offset: whose, and where. */
static unsigned where(size_t e, size_t block, size_t offset, size_t *at) {
  size_t place = e + offset, number = place / block;
  *at = number / nimages * block + place % block;
  return (unsigned)(number % nimages);
}

static void arrays(unsigned image, unsigned round, int many, int flags) {
  uint64_t state = 99 + round;
  size_t block = 1 + rnd(&state) % 7, offset = rnd(&state) % 20, count = 1 + rnd(&state) % COUNT, e, at;
  unsigned root = (unsigned)(rnd(&state) % nimages), i;
  static affine srcs[MOST_IMAGES][4 * COUNT];
  static uint64_t sums[MOST_IMAGES][4 * COUNT];
  affine mine[4 * COUNT], all = { 1, 0 }, result = { 0, 0 };
  uint64_t numbers[4 * COUNT], sum = 0, total = 0;
  void *list[MOST_IMAGES];
  memset(mine, 0, sizeof mine), memset(numbers, 0, sizeof numbers);
  for (e = 0; e < count; e++) {
    affine f = any_affine(&state);
    all = e ? then(all, f) : f;
    sum += f.b;
    if (where(e, block, offset, &at) == image) mine[at] = f, numbers[at] = f.b;
  }
  memcpy(srcs[image], mine, sizeof mine), memcpy(sums[image], numbers, sizeof numbers);
  if (many) {
    image_barrier(GASNET_TEAM_ALL);
    for (i = 0; i < counts[me]; i++) list[i] = srcs[first_image + i];
    gasnet_coll_reduceM(GASNET_TEAM_ALL, root, image == root ? &result : NULL, list, block, offset, sizeof(affine), count, COMPOSE, 7, flags);
    image_barrier(GASNET_TEAM_ALL);
    for (i = 0; i < counts[me]; i++) list[i] = sums[first_image + i];
    gasnet_coll_wait_sync(gasnet_coll_reduceM_nb(GASNET_TEAM_ALL, root, image == root ? &total : NULL, list, block, offset, 8, count, ADD, -3, flags));
    image_barrier(GASNET_TEAM_ALL);
  } else {
    gasnet_coll_reduce(GASNET_TEAM_ALL, root, image == root ? &result : NULL, mine, block, offset, sizeof(affine), count, COMPOSE, 7, flags);
    gasnet_coll_wait_sync(gasnet_coll_reduce_nb(GASNET_TEAM_ALL, root, &total, numbers, block, offset, 8, count, ADD, -3, flags));
  }
  if (image == root) CHECK(result.a == all.a && result.b == all.b && total == sum);
  image_barrier(GASNET_TEAM_ALL);
}

static void vectors(unsigned image, unsigned round, size_t count, int flags) {
  affine *mine = (affine *)calloc(count, sizeof *mine), *all = (affine *)calloc(count, sizeof *all), *result = (affine *)calloc(count, sizeof *result);
  unsigned root = round % nimages, i;
  size_t e;
  for (i = 0; i < nimages; i++) {
    uint64_t state = 5 + 1000 * i + round;
    for (e = 0; e < count; e++) {
      affine f = any_affine(&state);
      all[e] = i ? then(all[e], f) : f;
      if (i == image) mine[e] = f;
    }
  }
  gasnet_coll_reduce(GASNET_TEAM_ALL, root, result, mine, 0, 0, sizeof(affine), count, COMPOSE, 7, flags);
  if (image == root) CHECK(memcmp(result, all, count * sizeof *all) == 0);
  image_barrier(GASNET_TEAM_ALL);
  free(mine), free(all), free(result);
}

static void body(int index) {
  unsigned image = first_image + (unsigned)index, round;
  init_image(index);
  for (round = 0; round < 40; round++) {
    int flags = GASNET_COLL_LOCAL | (round % 3 ? MYMY : ALLALL);
    arrays(image, round, round % 2, flags);
    vectors(image, round, round % 10 ? 1 + round * 7 : 30000, flags);
  }
}

int main(int argc, char **argv) {
  check_start(&argc, &argv, NULL, 0, KiB(64));
  count_images(2);
  as_images(body);
  return check_end();
}
