// Broadcast, scatter, gather, gather-all and exchange: one address or a list, LOCAL or SINGLE, blocking or not, all sync flags, images of threads.
// ranks: 1 2 3
// modes: par seq
#include "coll.h"

enum { ONE, MANY, SRC, DST, BUFFERS };
#define ROOM KiB(40)

/* Buffer `which` of an image: the same place in the segment of its rank. */
static char *at(unsigned image, int which) { return seg(rank_of[image]) + ((size_t)index_of[image] * BUFFERS + which) * ROOM; }

/* Lists for this rank, or for all images. */
static void **list(void **out, int which, int single) {
  unsigned i, from = single ? 0 : first_image, n = single ? nimages : counts[me];
  for (i = 0; i < n; i++) out[i] = at(from + i, which);
  return out;
}

#define RUN(name, ...)                                                             \
  do {                                                                             \
    if (!nb) gasnet_coll_##name(GASNET_TEAM_ALL, __VA_ARGS__, n, flags);           \
    else gasnet_coll_wait_sync(gasnet_coll_##name##_nb(GASNET_TEAM_ALL, __VA_ARGS__, n, flags)); \
    image_barrier(GASNET_TEAM_ALL);                                                \
  } while (0)

static void go(unsigned image, unsigned root, size_t n, int flags, int many, int nb) {
  int single = (flags & GASNET_COLL_SINGLE) != 0;
  void *dsts[MOST_IMAGES], *srcs[MOST_IMAGES];
  char *one = at(image, ONE), *all = at(image, MANY), *src = at(image, SRC);
  unsigned i;
  for (i = 0; i < nimages; i++) fill(src + n * i, n, 100 * image + i);
  memset(one, 0, n), memset(all, 0, n * nimages);
  image_barrier(GASNET_TEAM_ALL);
  if (many) RUN(broadcastM, list(dsts, ONE, single), root, at(root, SRC));
  else RUN(broadcast, one, root, image == root ? src : NULL);
  CHECK(filled(one, n, 100 * root));
  if (many) RUN(scatterM, list(dsts, ONE, single), root, at(root, SRC));
  else RUN(scatter, one, root, image == root ? src : NULL);
  CHECK(filled(one, n, 100 * root + image));
  fill(one, n, 7 + image);
  image_barrier(GASNET_TEAM_ALL);
  if (many) RUN(gatherM, root, at(root, MANY), list(srcs, ONE, single));
  else RUN(gather, root, image == root ? all : NULL, one);
  for (i = 0; i < nimages; i++) CHECK(image == root ? filled(all + n * i, n, 7 + i) : all_bytes(all + n * i, n, 0));
  memset(all, 0, n * nimages);
  image_barrier(GASNET_TEAM_ALL);
  if (many) RUN(gather_allM, list(dsts, MANY, single), list(srcs, ONE, single));
  else RUN(gather_all, all, one);
  for (i = 0; i < nimages; i++) CHECK(filled(all + n * i, n, 7 + i));
  if (many) RUN(exchangeM, list(dsts, MANY, single), list(srcs, SRC, single));
  else RUN(exchange, all, src);
  for (i = 0; i < nimages; i++) CHECK(filled(all + n * i, n, 100 * i + image));
}

static void body(int index) {
  static const size_t sizes[] = { 1, 8, 700, 5000 };
  unsigned image = first_image + (unsigned)index;
  int i, o, form, count = 0;
  init_image(index);
  for (i = 0; i < 3; i++)
    for (o = 0; o < 3; o++)
      for (form = 0; form < 3; form++, count++) {
        int addresses = form == 2 ? GASNET_COLL_SINGLE : GASNET_COLL_LOCAL;
        int flags = ins[i] | outs[o] | addresses | GASNET_COLL_DST_IN_SEGMENT | GASNET_COLL_SRC_IN_SEGMENT;
        go(image, (unsigned)count % nimages, sizes[count % COUNT_OF(sizes)], flags, form > 0, count / 3 % 2);
      }
}

int main(int argc, char **argv) {
  check_start(&argc, &argv, NULL, 0, 3 * BUFFERS * ROOM);
  count_images(1);
  as_images(body);
  return check_end();
}
