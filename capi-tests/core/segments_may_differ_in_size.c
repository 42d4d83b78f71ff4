// Each rank gets the requested segment size, also if sizes differ; bases and sizes are page aligned, and the last byte is accessible.
#include "check.h"

static uintptr_t asked(gasnet_node_t r) { return (uintptr_t)(r * 3 + 1) * 17 * GASNET_PAGESIZE; }

int main(int argc, char **argv) {
  gasnet_node_t i;
  check_init(&argc, &argv);
  check_attach(NULL, 0, asked(me));
  for (i = 0; i < nranks; i++) {
    CHECK_EQ(seg_size(i), asked(i));
    CHECK_EQ((uintptr_t)seg(i) % GASNET_PAGESIZE, 0);
  }
  barrier();
  i = next_rank();
  gasnet_put_val(i, seg(i) + seg_size(i) - 1, 0x5A, 1);
  gasnet_put_val(i, seg(i), 0xA5, 1);
  barrier();
  CHECK_EQ(seg(me)[seg_size(me) - 1], 0x5A);
  CHECK_EQ((unsigned char)seg(me)[0], 0xA5);
  return check_end();
}
