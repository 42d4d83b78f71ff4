// Hundreds of thousands of explicit handles and a million implicit operations in flight from one thread: all complete, every byte is right, in
// any order of synchronisation.
// ranks: 1 2 4
// time: 120
#include "check.h"

enum { HANDLES = 200000, IMPLICIT = 1000000, WORDS = 1 << 16 };

static uint32_t *source;
static gasnet_handle_t *handle;

static void start(int how, gasnet_node_t to, uint32_t *there) {
  int i, left;
  uint64_t state = 7;
  for (i = 0; i < HANDLES; i++) handle[i] = gasnet_put_nb(to, there + i % WORDS, &source[i % WORDS], 4);
  switch (how) {
    case 0: gasnet_wait_syncnb_all(handle, HANDLES); break;
    case 1:
      for (i = HANDLES - 1; i >= 0; i--) gasnet_wait_syncnb(handle[i]);
      return;
    case 2:
      for (left = HANDLES; left > 0; left -= 1000) {
        if (left % 7000 == 0) gasnet_wait_syncnb_some(handle + left - 1000, 1000);
        while (gasnet_try_syncnb_all(handle + left - 1000, 1000) == GASNET_ERR_NOT_READY) {}
      }
      break;
    default: /* holes of invalid handles, in random order */
      for (i = 0; i < HANDLES; i++) {
        int at = (int)(rnd(&state) % HANDLES);
        gasnet_wait_syncnb(handle[at]);
        handle[at] = GASNET_INVALID_HANDLE;
      }
      gasnet_wait_syncnb_all(handle, HANDLES);
  }
  for (i = 0; i < HANDLES; i++) CHECK(handle[i] == GASNET_INVALID_HANDLE);
}

int main(int argc, char **argv) {
  uint32_t *there, *back, *mine;
  int i, how;
  check_start(&argc, &argv, NULL, 0, 2 * WORDS * sizeof(uint32_t));
  source = (uint32_t *)malloc(WORDS * sizeof *source);
  back = (uint32_t *)malloc(WORDS * sizeof *back);
  handle = (gasnet_handle_t *)malloc(HANDLES * sizeof *handle);
  MUST(source && back && handle);
  there = (uint32_t *)(void *)seg(next_rank());
  mine = (uint32_t *)(void *)seg(me);
  for (how = 0; how < 4; how++) {
    for (i = 0; i < WORDS; i++) source[i] = (uint32_t)i * 2654435761u + me + (uint32_t)how;
    start(how, next_rank(), there);
    barrier();
    for (i = 0; i < WORDS; i++) MUST(mine[i] == (uint32_t)i * 2654435761u + prev_rank() + (uint32_t)how);
    barrier();
  }
  for (i = 0; i < IMPLICIT; i++) {
    if (i % 2) gasnet_get_nbi(&back[i % WORDS], next_rank(), there + i % WORDS, 4);
    else gasnet_put_nbi_val(next_rank(), there + WORDS + i % WORDS, (gasnet_register_value_t)i, 4);
  }
  gasnet_wait_syncnbi_all();
  barrier();
  for (i = 1; i < WORDS; i += 2) MUST(back[i] == source[i]);
  for (i = 0; i < WORDS; i += 2) MUST(mine[WORDS + i] % WORDS == (uint32_t)i);
  return check_end();
}
