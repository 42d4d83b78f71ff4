// Vector, indexed and strided transfers reach data, heap, mappings and stacks of a peer, with long pieces and short ones.
// cflags: -DGASNET_SEGMENT_EVERYTHING -fno-pie -no-pie
#include "check.h"
#include <gasnet_vis.h>
#define tell_areas gasnet_put_bulk
#include "areas.h"

static char source[AREA], back[AREA], model[AREA];

/* `count` pieces of `len` bytes, every other one of as many places. */
static void transfers(gasnet_node_t to, char *there, size_t count, size_t len) {
  static gasnet_memvec_t here_v[3000], there_v[3000], back_v[3000];
  static void *here_i[3000], *there_i[3000], *back_i[3000];
  size_t strides[1], counts[2], i, all = count * len * 2;
  MUST(count <= 3000 && all <= AREA);
  for (i = 0; i < count; i++) {
    here_v[i].addr = here_i[i] = source + i * 2 * len;
    there_v[i].addr = there_i[i] = there + i * 2 * len + len;
    back_v[i].addr = back_i[i] = back + i * 2 * len;
    here_v[i].len = there_v[i].len = back_v[i].len = len;
  }
  for (int form = 0; form < 3; form++) {
    fill(source, all, me + (unsigned)form);
    gasnet_memset(to, there, 5, all);
    memset(back, 6, all);
    strides[0] = 2 * len, counts[0] = len, counts[1] = count;
    if (form == 0) {
      gasnet_putv_bulk(to, count, there_v, count, here_v);
      gasnet_getv_bulk(count, back_v, to, count, there_v);
    } else if (form == 1) {
      gasnet_puti_bulk(to, count, there_i, len, count, here_i, len);
      gasnet_wait_syncnb(gasnet_geti_nb_bulk(count, back_i, len, to, count, there_i, len));
    } else {
      gasnet_puts_nbi_bulk(to, there + len, strides, source, strides, counts, 1);
      gasnet_wait_syncnbi_puts();
      gasnet_gets_bulk(back, strides, to, there + len, strides, counts, 1);
    }
    memset(model, 6, all);
    for (i = 0; i < count; i++) memcpy(model + i * 2 * len, source + i * 2 * len, len);
    CHECK(memcmp(model, back, all) == 0);
    memset(model, 5, all);
    for (i = 0; i < count; i++) memcpy(model + i * 2 * len + len, source + i * 2 * len, len);
    gasnet_get_bulk(back, to, there, all);
    CHECK(memcmp(model, back, all) == 0);
  }
}

int main(int argc, char **argv) {
  char stack[AREA];
  int a;
  gasnet_node_t k;
  check_start(&argc, &argv, NULL, 0, 0);
  find_areas(stack);
  for (k = 0; k < nranks; k++) {
    gasnet_node_t to = (me + k) % nranks;
    for (a = 0; a < AREAS; a++) {
      transfers(to, area[to][a], 1, 1000);
      transfers(to, area[to][a], 2500, 8);
      transfers(to, area[to][a], 100, 1001);
      transfers(to, area[to][a], 4, 20000);
    }
    barrier();
  }
  return check_end();
}
