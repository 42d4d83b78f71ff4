/* Shared by the tests of non-contiguous put and get: every form of every shape behind one call, random regions, and
 * models of their effect on each byte. */
#ifndef CAPI_TESTS_VIS_H
#define CAPI_TESTS_VIS_H

#include "check.h"
#include <gasnet_vis.h>

static CHECK_UNUSED gex_TM_t tm;

static CHECK_UNUSED void vis_start(int *argc, char ***argv, gasnet_handlerentry_t *table, int n, uintptr_t size) {
  check_start(argc, argv, table, n, size);
  gasnet_QueryGexObjects(NULL, NULL, &tm, NULL);
}

enum { VIS_FORMS = 6 }; /* blocking, nb, nbi of GASNet-EX, then of GASNet-1 */

#define VIS_FORM(form, ex, ex_nb, ex_nbi, g1, g1_nb, g1_nbi, kind) do { \
    switch (form) { \
      case 0: CHECK(ex == 0); break; \
      case 1: gex_Event_Wait(ex_nb); break; \
      case 2: CHECK(ex_nbi == 0); gex_NBI_Wait(kind, 0); break; \
      case 3: g1; break; \
      case 4: gasnet_wait_syncnb(g1_nb); break; \
      default: g1_nbi; gasnet_wait_syncnbi_all(); break; \
    } \
  } while (0)

static CHECK_UNUSED void putv(int form, gasnet_node_t to, size_t nd, const gex_Memvec_t *d, size_t ns, const gex_Memvec_t *s) {
  const gasnet_memvec_t *gd = (const gasnet_memvec_t *)(const void *)d, *gs = (const gasnet_memvec_t *)(const void *)s;
  VIS_FORM(form, gex_VIS_VectorPutBlocking(tm, to, nd, d, ns, s, 0), gex_VIS_VectorPutNB(tm, to, nd, d, ns, s, 0),
           gex_VIS_VectorPutNBI(tm, to, nd, d, ns, s, 0), gasnet_putv_bulk(to, nd, gd, ns, gs), gasnet_putv_nb_bulk(to, nd, gd, ns, gs),
           gasnet_putv_nbi_bulk(to, nd, gd, ns, gs), GEX_EC_PUT);
}
static CHECK_UNUSED void getv(int form, gasnet_node_t from, size_t nd, const gex_Memvec_t *d, size_t ns, const gex_Memvec_t *s) {
  const gasnet_memvec_t *gd = (const gasnet_memvec_t *)(const void *)d, *gs = (const gasnet_memvec_t *)(const void *)s;
  VIS_FORM(form, gex_VIS_VectorGetBlocking(tm, nd, d, from, ns, s, 0), gex_VIS_VectorGetNB(tm, nd, d, from, ns, s, 0),
           gex_VIS_VectorGetNBI(tm, nd, d, from, ns, s, 0), gasnet_getv_bulk(nd, gd, from, ns, gs), gasnet_getv_nb_bulk(nd, gd, from, ns, gs),
           gasnet_getv_nbi_bulk(nd, gd, from, ns, gs), GEX_EC_GET);
}
static CHECK_UNUSED void puti(int form, gasnet_node_t to, size_t nd, void *const *d, size_t dl, size_t ns, void *const *s, size_t sl) {
  VIS_FORM(form, gex_VIS_IndexedPutBlocking(tm, to, nd, d, dl, ns, s, sl, 0), gex_VIS_IndexedPutNB(tm, to, nd, d, dl, ns, s, sl, 0),
           gex_VIS_IndexedPutNBI(tm, to, nd, d, dl, ns, s, sl, 0), gasnet_puti_bulk(to, nd, d, dl, ns, s, sl),
           gasnet_puti_nb_bulk(to, nd, d, dl, ns, s, sl), gasnet_puti_nbi_bulk(to, nd, d, dl, ns, s, sl), GEX_EC_PUT);
}
static CHECK_UNUSED void geti(int form, gasnet_node_t from, size_t nd, void *const *d, size_t dl, size_t ns, void *const *s, size_t sl) {
  VIS_FORM(form, gex_VIS_IndexedGetBlocking(tm, nd, d, dl, from, ns, s, sl, 0), gex_VIS_IndexedGetNB(tm, nd, d, dl, from, ns, s, sl, 0),
           gex_VIS_IndexedGetNBI(tm, nd, d, dl, from, ns, s, sl, 0), gasnet_geti_bulk(nd, d, dl, from, ns, s, sl),
           gasnet_geti_nb_bulk(nd, d, dl, from, ns, s, sl), gasnet_geti_nbi_bulk(nd, d, dl, from, ns, s, sl), GEX_EC_GET);
}

/* A strided transfer between two areas: offsets, and count[0] the element, as GASNet-1 has it. */
enum { MAX_LEVELS = 12 };
struct strided {
  size_t dst, src, count[MAX_LEVELS + 1], levels, total;
  ptrdiff_t dststrides[MAX_LEVELS], srcstrides[MAX_LEVELS];
  int negative;
};

static CHECK_UNUSED void puts_(int form, gasnet_node_t to, void *d, const struct strided *r, void *s) {
  const size_t *gd = (const size_t *)(const void *)r->dststrides, *gs = (const size_t *)(const void *)r->srcstrides;
  VIS_FORM(form, gex_VIS_StridedPutBlocking(tm, to, d, r->dststrides, s, r->srcstrides, r->count[0], r->count + 1, r->levels, 0),
           gex_VIS_StridedPutNB(tm, to, d, r->dststrides, s, r->srcstrides, r->count[0], r->count + 1, r->levels, 0),
           gex_VIS_StridedPutNBI(tm, to, d, r->dststrides, s, r->srcstrides, r->count[0], r->count + 1, r->levels, 0),
           gasnet_puts_bulk(to, d, gd, s, gs, r->count, r->levels), gasnet_puts_nb_bulk(to, d, gd, s, gs, r->count, r->levels),
           gasnet_puts_nbi_bulk(to, d, gd, s, gs, r->count, r->levels), GEX_EC_PUT);
}
static CHECK_UNUSED void gets_(int form, gasnet_node_t from, void *d, const struct strided *r, void *s) {
  const size_t *gd = (const size_t *)(const void *)r->dststrides, *gs = (const size_t *)(const void *)r->srcstrides;
  VIS_FORM(form, gex_VIS_StridedGetBlocking(tm, d, r->dststrides, from, s, r->srcstrides, r->count[0], r->count + 1, r->levels, 0),
           gex_VIS_StridedGetNB(tm, d, r->dststrides, from, s, r->srcstrides, r->count[0], r->count + 1, r->levels, 0),
           gex_VIS_StridedGetNBI(tm, d, r->dststrides, from, s, r->srcstrides, r->count[0], r->count + 1, r->levels, 0),
           gasnet_gets_bulk(d, gd, from, s, gs, r->count, r->levels), gasnet_gets_nb_bulk(d, gd, from, s, gs, r->count, r->levels),
           gasnet_gets_nbi_bulk(d, gd, from, s, gs, r->count, r->levels), GEX_EC_GET);
}

/* The effect of a strided transfer between two areas. */
static CHECK_UNUSED void model_strided(unsigned char *dst, const unsigned char *src, const struct strided *r) {
  size_t index[MAX_LEVELS] = { 0 }, level;
  if (r->total == 0) return;
  for (;;) {
    ptrdiff_t d = (ptrdiff_t)r->dst, s = (ptrdiff_t)r->src;
    for (level = 0; level < r->levels; level++)
      d += (ptrdiff_t)index[level] * r->dststrides[level], s += (ptrdiff_t)index[level] * r->srcstrides[level];
    memcpy(dst + d, src + s, r->count[0]);
    for (level = 0; level < r->levels; level++) {
      if (++index[level] < r->count[level + 1]) break;
      index[level] = 0;
    }
    if (level == r->levels) return;
  }
}

static CHECK_UNUSED size_t below(uint64_t *state, size_t n) { return (size_t)(rnd(state) >> 11) % n; }

/* One side without overlap: dimensions in a random order, gaps between them; false if it needs more than `room`. */
static CHECK_UNUSED int random_side(uint64_t *state, struct strided *r, int plain, size_t room, size_t *start, ptrdiff_t *strides) {
  size_t order[MAX_LEVELS], span = r->count[0], first = 0, i;
  for (i = 0; i < r->levels; i++) order[i] = i;
  for (i = r->levels; !plain && i > 1; i--) {
    size_t k = below(state, i), other = order[i - 1];
    order[i - 1] = order[k], order[k] = other;
  }
  for (i = 0; i < r->levels; i++) {
    size_t stride = span + (below(state, 3) ? 0 : below(state, 40)), count = r->count[order[i] + 1];
    size_t reach = stride * (count ? count - 1 : 0);
    strides[order[i]] = (ptrdiff_t)stride;
    if (!plain && below(state, 5) == 0) strides[order[i]] = -(ptrdiff_t)stride, first += reach;
    /* GASNet-1 wants a stride for each whole dimension inside it. */
    span = plain ? stride * (count ? count : 1) : reach + span;
    if (span > room) return 0;
  }
  *start = first + below(state, room - span + 1);
  return 1;
}

/* A random strided transfer within areas of `room` bytes; `plain`: no negative strides, no transposition. */
static CHECK_UNUSED void random_strided(uint64_t *state, struct strided *r, int plain, size_t room) {
  size_t i;
  do {
    size_t most = below(state, 2) ? 9 : 4;
    r->levels = below(state, below(state, 3) ? 4 : MAX_LEVELS + 1);
    r->count[0] = 1 + (below(state, 2) ? below(state, 40) : below(state, 3) ? (size_t)8 << below(state, 3) : below(state, 3000));
    for (i = 1; i <= r->levels; i++) r->count[i] = below(state, 50) == 0 ? 0 : 1 + below(state, r->levels > 5 ? 2 : most);
    for (r->total = r->count[0], i = 1; i <= r->levels; i++) r->total *= r->count[i];
  } while (!random_side(state, r, plain, room, &r->dst, r->dststrides) || !random_side(state, r, plain, room, &r->src, r->srcstrides));
}

/* Up to `most` pieces in `room` bytes at `base` that do not overlap, in a random order; returns how many. */
static CHECK_UNUSED size_t random_pieces(uint64_t *state, unsigned char *base, size_t room, gex_Memvec_t *list, size_t most) {
  size_t n = below(state, most + 1), per = n ? room / n : 0, at = 0, i;
  size_t kind = below(state, 3);
  for (i = 0; i < n; i++) {
    size_t len = kind == 0 ? below(state, per < 40 ? per : 40) : kind == 1 ? below(state, per) : per, gap = below(state, per - len + 1);
    list[i].gex_addr = base + at + gap, list[i].gex_len = len;
    at += gap + len;
    if (below(state, 10) == 0) at -= len, list[i].gex_addr = NULL, list[i].gex_len = 0;
  }
  for (i = n; i > 1; i--) {
    size_t k = below(state, i);
    gex_Memvec_t other = list[i - 1];
    list[i - 1] = list[k], list[k] = other;
  }
  return n;
}

static CHECK_UNUSED size_t bytes_of(const gex_Memvec_t *list, size_t n) {
  size_t total = 0, i;
  for (i = 0; i < n; i++) total += list[i].gex_len;
  return total;
}

/* Cuts a list to `total` bytes. */
static CHECK_UNUSED void cut(gex_Memvec_t *list, size_t n, size_t total) {
  size_t i;
  for (i = 0; i < n; i++) {
    if (list[i].gex_len > total) list[i].gex_len = total;
    total -= list[i].gex_len;
  }
}

/* The effect of a transfer between two lists: their addresses are of areas at `dst_of` and `src_of`. */
static CHECK_UNUSED void model_lists(unsigned char *dst, const unsigned char *dst_of, const gex_Memvec_t *d, const unsigned char *src,
                                     const unsigned char *src_of, const gex_Memvec_t *s, size_t total) {
  size_t i = 0, k = 0;
  while (total--) {
    while (i == d->gex_len) d++, i = 0;
    while (k == s->gex_len) s++, k = 0;
    dst[(unsigned char *)d->gex_addr - dst_of + i++] = src[(unsigned char *)s->gex_addr - src_of + k++];
  }
}

/* Whether the area there equals the model. */
static CHECK_UNUSED int agrees(gasnet_node_t rank, void *there, unsigned char *here, const unsigned char *model, size_t n) {
  gasnet_get_bulk(here, rank, there, n);
  return memcmp(here, model, n) == 0;
}

#endif
