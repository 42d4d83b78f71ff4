// Random strided regions of up to 12 levels, in GASNet-EX also reversed and transposed, with counts of 1 and 0: puts write exactly the described bytes, and gets return them.
#include "vis.h"

enum { AREA = 1 << 16 };
int main(int argc, char **argv) {
  unsigned char *model, *source, *back, *expected, *far;
  struct strided r, inverse;
  uint64_t state;
  int i;
  vis_start(&argc, &argv, NULL, 0, 2 * AREA);
  state = 55 + me;
  model = (unsigned char *)malloc(AREA), back = (unsigned char *)malloc(AREA), expected = (unsigned char *)malloc(AREA);
  source = (unsigned char *)malloc(AREA);
  for (i = 0; i < 300; i++) {
    gasnet_node_t to = i % 8 == 7 ? me : next_rank();
    int form = i % VIS_FORMS, form_back = (i + 1) % VIS_FORMS;
    far = (unsigned char *)seg(to) + (to == me && nranks > 1 ? AREA / 2 : 0);
    random_strided(&state, &r, form >= 3 || form_back >= 3, AREA / 2);
    fill(source, AREA / 2, (unsigned)i + me);
    memset(model, i, AREA / 2);
    gasnet_put_bulk(to, far, model, AREA / 2);
    puts_(form, to, far + r.dst, &r, source + r.src);
    model_strided(model, source, &r);
    CHECK(agrees(to, far, back, model, AREA / 2));
    inverse = r;
    inverse.dst = r.src, inverse.src = r.dst;
    memcpy(inverse.dststrides, r.srcstrides, sizeof r.srcstrides), memcpy(inverse.srcstrides, r.dststrides, sizeof r.dststrides);
    memset(source, 0x5a, AREA / 2), memset(expected, 0x5a, AREA / 2);
    gets_(form_back, to, source + r.src, &inverse, far + r.dst);
    model_strided(expected, model, &inverse);
    CHECK(memcmp(source, expected, AREA / 2) == 0);
  }
  return check_end();
}
