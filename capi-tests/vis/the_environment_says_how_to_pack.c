// The result does not depend on the environment's settings for packing and message sizes.
// ranks: 2 3
// modes: par
// env: GASNET_RMA=am GASNET_$CASE
// case VIS_AMPIPE=0:
// case VIS_REMOTECONTIG=0:
// case VIS_MAXCHUNK=1:
// case VIS_MAXCHUNK=200:
// case VIS_PUT_MAXCHUNK=1000:
// case VIS_GET_MAXCHUNK=1K:
// case VIS_MAXCHUNK=100M:
#include "vis.h"

enum { AREA = 1 << 15, MOST = 60, ROUNDS = 48 };
static unsigned char *model, *source, *expected, *back;

/* Both sides of a round that has put `source` there: the bytes there, and those that a get returned. */
static void compare(gasnet_node_t rank, void *far) {
  CHECK(agrees(rank, far, back, model, AREA));
  CHECK(memcmp(source, expected, AREA) == 0);
}

int main(int argc, char **argv) {
  static gex_Memvec_t there[MOST], here[MOST];
  struct strided r, inverse;
  uint64_t state;
  int i;
  vis_start(&argc, &argv, NULL, 0, AREA);
  state = 99 + me;
  model = (unsigned char *)malloc(AREA), back = (unsigned char *)malloc(AREA), expected = (unsigned char *)malloc(AREA);
  source = (unsigned char *)malloc(AREA);
  for (i = 0; i < ROUNDS; i++) {
    gasnet_node_t to = next_rank();
    unsigned char *far = (unsigned char *)seg(to);
    int form = i % VIS_FORMS;
    fill(source, AREA, (unsigned)i + me);
    memset(model, i, AREA), memset(expected, 0x5a, AREA);
    gasnet_put_bulk(to, far, model, AREA);
    if (i % 2) {
      random_strided(&state, &r, 1, AREA);
      puts_(form, to, far + r.dst, &r, source + r.src);
      model_strided(model, source, &r);
      inverse = r, inverse.dst = r.src, inverse.src = r.dst;
      memcpy(inverse.dststrides, r.srcstrides, sizeof r.srcstrides), memcpy(inverse.srcstrides, r.dststrides, sizeof r.dststrides);
      memset(source, 0x5a, AREA);
      gets_(form, to, source + r.src, &inverse, far + r.dst);
      model_strided(expected, model, &inverse);
    } else {
      /* Now and then the remote side is one piece. */
      size_t nt = random_pieces(&state, far, AREA, there, i % 6 ? MOST : 1), nh = random_pieces(&state, source, AREA, here, MOST);
      size_t total = bytes_of(there, nt) < bytes_of(here, nh) ? bytes_of(there, nt) : bytes_of(here, nh);
      cut(there, nt, total), cut(here, nh, total);
      putv(form, to, nt, there, nh, here);
      model_lists(model, far, there, source, source, here, total);
      memset(source, 0x5a, AREA);
      getv(form, to, nh, here, nt, there);
      model_lists(expected, source, here, model, far, there, total);
    }
    compare(to, far);
  }
  return check_end();
}
