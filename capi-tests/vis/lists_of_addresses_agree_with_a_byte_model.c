// Random lists of pieces of equal length, with different lengths on the two sides: puts write exactly the described bytes, and gets return them.
#include "vis.h"

enum { AREA = 1 << 16, MOST = 4000 };

/* `n` places for pieces of `len` bytes, in a random order. */
static void places(uint64_t *state, unsigned char *base, size_t room, void **list, gex_Memvec_t *as, size_t n, size_t len) {
  size_t per = n ? room / n : 0, i;
  for (i = 0; i < n; i++) list[i] = base + i * per + below(state, per - len + 1);
  for (i = n; i > 1; i--) {
    size_t k = below(state, i);
    void *other = list[i - 1];
    list[i - 1] = list[k], list[k] = other;
  }
  for (i = 0; i < n; i++) as[i].gex_addr = list[i], as[i].gex_len = len;
}

int main(int argc, char **argv) {
  static void *there[MOST], *here[MOST];
  static gex_Memvec_t as_there[MOST], as_here[MOST];
  static const size_t lens[] = { 1, 2, 4, 8, 16, 32, 3, 24, 100, 1000, 5 };
  unsigned char *model, *source, *back, *expected, *far;
  uint64_t state;
  int i;
  vis_start(&argc, &argv, NULL, 0, 2 * AREA);
  state = 99 + me;
  model = (unsigned char *)malloc(AREA), back = (unsigned char *)malloc(AREA), expected = (unsigned char *)malloc(AREA);
  source = (unsigned char *)malloc(AREA);
  for (i = 0; i < 240; i++) {
    gasnet_node_t r = i % 8 == 7 ? me : next_rank();
    size_t unit = lens[below(&state, COUNT_OF(lens))], a = 1 + below(&state, 4), b = below(&state, 2) ? a : 1 + below(&state, 4);
    size_t rounds = AREA / 2 / (unit * a * b), nt, nh;
    if (rounds > MOST / 4) rounds = MOST / 4;
    rounds = below(&state, rounds + 1);
    nt = rounds * b, nh = rounds * a; /* of unit * a and unit * b bytes */
    far = (unsigned char *)seg(r) + (r == me && nranks > 1 ? AREA / 2 : 0);
    fill(source, AREA / 2, (unsigned)i + me);
    memset(model, i, AREA / 2);
    gasnet_put_bulk(r, far, model, AREA / 2);
    places(&state, far, AREA / 2, there, as_there, nt, unit * a);
    places(&state, source, AREA / 2, here, as_here, nh, unit * b);
    puti(i % VIS_FORMS, r, nt, there, unit * a, nh, here, unit * b);
    model_lists(model, far, as_there, source, source, as_here, nt * unit * a);
    CHECK(agrees(r, far, back, model, AREA / 2));
    memset(source, 0x5a, AREA / 2), memset(expected, 0x5a, AREA / 2);
    geti((i / 3) % VIS_FORMS, r, nh, here, unit * b, nt, there, unit * a);
    model_lists(expected, source, as_here, model, far, as_there, nt * unit * a);
    CHECK(memcmp(source, expected, AREA / 2) == 0);
  }
  return check_end();
}
