// Random lists of pieces, with different shapes on the two sides, including empty pieces and empty lists: puts write exactly the described bytes, and gets return them.
#include "vis.h"

enum { AREA = 1 << 16, MOST = 80 };
int main(int argc, char **argv) {
  static gex_Memvec_t there[MOST], here[MOST];
  unsigned char *model, *source, *back, *expected, *far;
  uint64_t state;
  int i;
  vis_start(&argc, &argv, NULL, 0, 2 * AREA);
  state = 77 + me;
  model = (unsigned char *)malloc(AREA), back = (unsigned char *)malloc(AREA), expected = (unsigned char *)malloc(AREA);
  for (i = 0; i < 240; i++) {
    gasnet_node_t r = i % 8 == 7 ? me : next_rank();
    size_t nt, nh, total;
    far = (unsigned char *)seg(r) + (r == me && nranks > 1 ? AREA / 2 : 0);
    source = i % 2 ? (unsigned char *)seg(me) + AREA : (unsigned char *)malloc(AREA / 2);
    fill(source, AREA / 2, (unsigned)i + me);
    memset(model, i, AREA / 2);
    gasnet_put_bulk(r, far, model, AREA / 2);
    nt = random_pieces(&state, far, AREA / 2, there, below(&state, 2) ? MOST : 3);
    nh = random_pieces(&state, source, AREA / 2, here, below(&state, 2) ? MOST : 3);
    total = bytes_of(there, nt) < bytes_of(here, nh) ? bytes_of(there, nt) : bytes_of(here, nh);
    cut(there, nt, total), cut(here, nh, total);
    putv(i % VIS_FORMS, r, nt, there, nh, here);
    model_lists(model, far, there, source, source, here, total);
    CHECK(agrees(r, far, back, model, AREA / 2));
    /* The other way: the source becomes the destination. */
    memset(source, 0x5a, AREA / 2), memset(expected, 0x5a, AREA / 2);
    getv((i / 3) % VIS_FORMS, r, nh, here, nt, there);
    model_lists(expected, source, here, model, far, there, total);
    CHECK(memcmp(source, expected, AREA / 2) == 0);
    if (i % 2 == 0) free(source);
  }
  return check_end();
}
