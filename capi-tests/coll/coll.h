/* Shared by the tests of GASNet-1's collectives: images, with different numbers of them on the ranks, and reductions. */
#include "check.h"
#include <gasnet_coll.h>

#define ANON GASNET_BARRIERFLAG_ANONYMOUS
#define IMAGES GASNET_BARRIERFLAG_IMAGES
#define MYMY (GASNET_COLL_IN_MYSYNC | GASNET_COLL_OUT_MYSYNC)
#define ALLALL (GASNET_COLL_IN_ALLSYNC | GASNET_COLL_OUT_ALLSYNC)

static CHECK_UNUSED const int ins[] = { GASNET_COLL_IN_NOSYNC, GASNET_COLL_IN_MYSYNC, GASNET_COLL_IN_ALLSYNC };
static CHECK_UNUSED const int outs[] = { GASNET_COLL_OUT_NOSYNC, GASNET_COLL_OUT_MYSYNC, GASNET_COLL_OUT_ALLSYNC };

#define MOST_IMAGES 64
static CHECK_UNUSED gasnet_image_t counts[MOST_IMAGES], nimages, first_image;
/* The rank of an image, and which of that rank's it is. */
static CHECK_UNUSED gasnet_node_t rank_of[MOST_IMAGES];
static CHECK_UNUSED int index_of[MOST_IMAGES];

/* x -> a x + b, one after the other: does not commute. */
typedef struct { uint32_t a, b; } affine;
static CHECK_UNUSED affine then(affine f, affine g) {
  affine h;
  h.a = f.a * g.a, h.b = f.b * g.a + g.b;
  return h;
}
static CHECK_UNUSED void compose(void *results, size_t n, const void *left, size_t nleft, const void *right, size_t size, int flags, int arg) {
  size_t i;
  CHECK(size == sizeof(affine) && n == nleft && (flags & GASNET_COLL_NONCOMM) && arg == 7);
  for (i = 0; i < n; i++) ((affine *)results)[i] = then(((const affine *)left)[i], ((const affine *)right)[i]);
}
static CHECK_UNUSED void add(void *results, size_t n, const void *left, size_t nleft, const void *right, size_t size, int flags, int arg) {
  size_t i;
  CHECK(size == sizeof(uint64_t) && n == nleft && !(flags & GASNET_COLL_NONCOMM) && arg == -3);
  for (i = 0; i < n; i++) ((uint64_t *)results)[i] = ((const uint64_t *)left)[i] + ((const uint64_t *)right)[i];
}
enum { ADD, COMPOSE };
static CHECK_UNUSED affine any_affine(uint64_t *state) {
  affine f;
  f.a = (uint32_t)rnd(state) | 1, f.b = (uint32_t)rnd(state);
  return f;
}

/* Rank r has 1 + (r + `more`) % 3 images; in SEQ clients, or if `more` is negative, one. */
static CHECK_UNUSED void count_images(int more) {
  gasnet_node_t r;
  nimages = 0, (void)more;
  for (r = 0; r < nranks; r++) {
    gasnet_image_t i;
#ifdef GASNET_SEQ
    counts[r] = 1;
#else
    counts[r] = more < 0 ? 1 : 1 + (r + (gasnet_image_t)more) % 3;
#endif
    if (r == me) first_image = nimages;
    for (i = 0; i < counts[r]; i++) rank_of[nimages] = r, index_of[nimages++] = (int)i;
  }
}

static CHECK_UNUSED void init_image(int index) {
  gasnet_coll_fn_entry_t table[2] = { { add, 0 }, { compose, GASNET_COLL_NONCOMM } };
  gasnet_coll_init(nimages == nranks ? NULL : counts, first_image + (gasnet_image_t)index, table, 2, 0);
}

static CHECK_UNUSED void image_barrier(gasnet_team_handle_t team) {
  CHECK(gasnet_coll_barrier(team, 0, ANON | IMAGES) == GASNET_OK);
}

/* Runs `body` as every image of this rank. */
static CHECK_UNUSED void as_images(check_thread_fn body) {
  if (counts[me] == 1) body(0);
  else on_threads((int)counts[me], body);
}
