/* Transfers of memory that is not contiguous: lists of pieces, pieces of one length, strides; by both interfaces. */
#include "against.h"

enum { PIECES = 40 };
struct list {
  struct list *next;
  gex_Memvec_t far[PIECES], near[PIECES];
  void *far_at[PIECES], *near_at[PIECES];
};
static struct list *lists[ACTORS]; /* they stay as they are until the transfer has been synchronised */

void free_lists(void) {
  int i;
  for (i = 0; i < ACTORS; i++)
    while (lists[i]) {
      struct list *l = lists[i];
      lists[i] = l->next;
      free(l);
    }
}

#define HANDLE(s) handle[me * ACTORS + (s)->actor % ACTORS][(s)->slot]
/* The three forms of a call: OLD(gasnet_putv, (arguments)), NEW(gex_VIS_VectorPut, (arguments)). */
#define JOIN(a, b) a##b
#define OLD(name, arguments)                                                \
  do {                                                                      \
    if (s->how == BLOCKING) JOIN(name, _bulk) arguments;                    \
    else if (s->how == NB) HANDLE(s) = JOIN(name, _nb_bulk) arguments;      \
    else JOIN(name, _nbi_bulk) arguments;                                   \
  } while (0)
#define NEW(name, arguments)                                                \
  do {                                                                      \
    if (s->how == BLOCKING) (void)JOIN(name, Blocking) arguments;           \
    else if (s->how == NB) HANDLE(s) = JOIN(name, NB) arguments;            \
    else (void)JOIN(name, NBI) arguments;                                   \
  } while (0)

/* `total` bytes in `n` pieces of random lengths, in order, within the range. */
static int pieces(gex_Memvec_t *to, struct range r, uint32_t total, uint64_t seed) {
  uint32_t gaps = r.n - total, left = total, at = 0;
  int n = 0, most = 1 + (int)(mix(seed, 0) % PIECES);
  while (left || n == 0) {
    uint32_t len = n == most - 1 ? left : (uint32_t)(mix(seed, (uint64_t)(2 * n + 1)) % (left + 1));
    uint32_t gap = (uint32_t)(mix(seed, (uint64_t)(2 * n + 2)) % (gaps + 1));
    if (mix(seed, (uint64_t)n) % 3 == 0) gap = 0;
    if (n == PIECES - 1) len = left;
    at += gap, gaps -= gap;
    to[n].gex_addr = address(r, at), to[n].gex_len = len;
    at += len, left -= len, n++;
    if (n == PIECES) break;
  }
  return n;
}

static void vector(struct step *s, struct list *l, gex_TM_t tm, gex_Rank_t rank) {
  uint32_t total = s->near.n < s->far.n ? s->near.n : s->far.n;
  size_t nfar, nnear;
  gasnet_node_t node = (gasnet_node_t)s->peer;
  total = (uint32_t)(mix(s->value, 3) % (total + 1));
  nfar = (size_t)pieces(l->far, s->far, total, mix(s->value, 4)), nnear = (size_t)pieces(l->near, s->near, total, mix(s->value, 5));
  if (s->ex) {
    if (s->nargs) NEW(gex_VIS_VectorGet, (tm, nnear, l->near, rank, nfar, l->far, 0));
    else NEW(gex_VIS_VectorPut, (tm, rank, nfar, l->far, nnear, l->near, 0));
  } else if (s->nargs) OLD(gasnet_getv, (nnear, (gasnet_memvec_t *)l->near, node, nfar, (gasnet_memvec_t *)l->far));
  else OLD(gasnet_putv, (node, nfar, (gasnet_memvec_t *)l->far, nnear, (gasnet_memvec_t *)l->near));
}

static void places(void **to, struct range r, uint32_t len, uint32_t n, uint64_t seed) {
  uint32_t gaps = r.n - len * n, at = 0, i;
  for (i = 0; i < n; i++) {
    uint32_t gap = mix(seed, i) % 3 ? (uint32_t)(mix(seed, i + 50) % (gaps / n + 1)) : 0;
    at += gap;
    to[i] = address(r, at);
    at += len;
  }
}
static void indexed(struct step *s, struct list *l, gex_TM_t tm, gex_Rank_t rank) {
  uint32_t room = s->near.n < s->far.n ? s->near.n : s->far.n, len, a, b;
  gasnet_node_t node = (gasnet_node_t)s->peer;
  a = 1 + (uint32_t)(mix(s->value, 3) % 6), b = 1 + (uint32_t)(mix(s->value, 4) % 6);
  len = (uint32_t)(mix(s->value, 5) % (room / (a * b) + 1)); /* a pieces of b*len there, b of a*len here */
  places(l->far_at, s->far, b * len, a, mix(s->value, 6)), places(l->near_at, s->near, a * len, b, mix(s->value, 7));
  if (s->ex) {
    if (s->nargs) NEW(gex_VIS_IndexedGet, (tm, b, l->near_at, a * len, rank, a, l->far_at, b * len, 0));
    else NEW(gex_VIS_IndexedPut, (tm, rank, a, l->far_at, b * len, b, l->near_at, a * len, 0));
  } else if (s->nargs) OLD(gasnet_geti, (b, l->near_at, a * len, node, a, l->far_at, b * len));
  else OLD(gasnet_puti, (node, a, l->far_at, b * len, b, l->near_at, a * len));
}

/* Strides of `levels` that fit the room: each at least as large as the level below. */
static void strides(size_t *to, size_t room, const size_t *count, int levels, uint64_t seed) {
  size_t least = count[0], product = 1;
  int i, j;
  for (i = 0; i < levels; i++) {
    size_t above = 1, spare;
    for (product = 1, j = i + 1; j <= levels; j++) product *= count[j];
    above = product;
    spare = above && room / above > least ? room / above - least : 0;
    to[i] = least + (mix(seed, (uint64_t)i) % 2 ? 0 : mix(seed, (uint64_t)i + 9) % (spare + 1));
    if (spare > 1 && to[i] > least) to[i] = least + (to[i] - least) / 2;
    least = to[i] * count[i + 1];
  }
}
static void strided(struct step *s, gex_TM_t tm, gex_Rank_t rank) {
  size_t room = s->near.n < s->far.n ? s->near.n : s->far.n, count[5], far_by[4] = {0}, near_by[4] = {0};
  ptrdiff_t far_ex[4], near_ex[4];
  int levels = (int)(mix(s->value, 3) % 4), i;
  gasnet_node_t node = (gasnet_node_t)s->peer;
  char *far = address(s->far, 0), *near = address(s->near, 0);
  for (i = 1; i <= levels; i++) {
    count[i] = 1 + mix(s->value, (uint64_t)(10 + i)) % 6;
    if (mix(s->value, (uint64_t)(20 + i)) % 16 == 0) count[i] = 0;
    room /= count[i] ? count[i] : 1;
  }
  count[0] = room ? 1 + mix(s->value, 30) % room : 0;
  strides(far_by, s->far.n, count, levels, mix(s->value, 31)), strides(near_by, s->near.n, count, levels, mix(s->value, 32));
  for (i = 0; i < levels; i++) far_ex[i] = (ptrdiff_t)far_by[i], near_ex[i] = (ptrdiff_t)near_by[i];
  if (s->ex && mix(s->value, 33) % 3 == 0) /* backwards in one dimension there */
    for (i = 0; i < levels; i++)
      if (count[i + 1] > 1) {
        far += far_ex[i] * (ptrdiff_t)(count[i + 1] - 1), far_ex[i] = -far_ex[i];
        break;
      }
  if (!s->ex) { /* the metadata stays, as the transfer may read it until it is synchronised */
    struct list *l = lists[s->actor % ACTORS];
    size_t *keep = (size_t *)(void *)l->far;
    memcpy(keep, far_by, sizeof far_by), memcpy(keep + 4, near_by, sizeof near_by), memcpy(keep + 8, count, sizeof count);
    if (s->nargs) OLD(gasnet_gets, (near, keep + 4, node, far, keep, keep + 8, (size_t)levels));
    else OLD(gasnet_puts, (node, far, keep, near, keep + 4, keep + 8, (size_t)levels));
  } else if (s->nargs) NEW(gex_VIS_StridedGet, (tm, near, near_ex, rank, far, far_ex, count[0], count + 1, (size_t)levels, 0));
  else NEW(gex_VIS_StridedPut, (tm, rank, far, far_ex, near, near_ex, count[0], count + 1, (size_t)levels, 0));
}

void run_vis(struct step *s) {
  int thread = s->actor % ACTORS;
  struct list *l = (struct list *)calloc(1, sizeof *l);
  gex_Rank_t rank;
  gex_TM_t tm = team_at(s, &rank);
  if (!l) abort();
  l->next = lists[thread], lists[thread] = l;
  switch (s->flavour) {
    case 0: vector(s, l, tm, rank); break;
    case 1: indexed(s, l, tm, rank); break;
    default: strided(s, tm, rank);
  }
}
