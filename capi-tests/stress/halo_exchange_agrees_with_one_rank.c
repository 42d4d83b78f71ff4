// A stencil whose halo rows travel by implicit puts in access regions, by gets, and by Long messages in turn, with split-phase barriers and work
// between notify and wait: the grid is at the end what one rank alone computes.
// ranks: 1 2 3 4 7
// time: 120
#include "check.h"

enum { WIDTH = 250, ROWS = 12, STEPS = 60, HALO = 140 };
typedef double row_t[WIDTH];
/* In the segment, twice (steps alternate): the row above, my rows, the row below. */
typedef struct { row_t above, row[ROWS], below; } grid_t;

static volatile int arrived[2];
static void on_halo(gasnet_token_t t, void *buf, size_t n, gasnet_handlerarg_t parity) {
  (void)t, (void)buf;
  CHECK_EQ(n, sizeof(row_t));
  __atomic_add_fetch(&arrived[parity], 1, __ATOMIC_RELAXED);
}

static double start_value(int row, int column) { return (double)((row * 31 + column * 17) % 101); }
static void update(row_t to, row_t up, row_t here, row_t down) {
  int x;
  for (x = 0; x < WIDTH; x++) {
    double left = here[(x + WIDTH - 1) % WIDTH], right = here[(x + 1) % WIDTH];
    to[x] = 0.2 * here[x] + 0.2 * left + 0.2 * right + 0.2 * up[x] + 0.2 * down[x];
  }
}
static grid_t *grid(gasnet_node_t rank, int parity) { return (grid_t *)(void *)seg(rank) + parity; }

int main(int argc, char **argv) {
  gasnet_handlerentry_t table[] = { HANDLER(HALO, on_halo) };
  gasnet_node_t up, down;
  int step, row, x, rows, rounds = 0, longs = 0;
  row_t *all, *next;
  check_start(&argc, &argv, table, 1, (2 * sizeof(grid_t) + GASNET_PAGESIZE) / GASNET_PAGESIZE * GASNET_PAGESIZE);
  up = prev_rank(), down = next_rank();
  rows = ROWS * (int)nranks;
  for (row = 0; row < ROWS; row++)
    for (x = 0; x < WIDTH; x++) grid(me, 0)->row[row][x] = start_value((int)me * ROWS + row, x);
  barrier();
  for (step = 0; step < STEPS; step++) {
    int now = step & 1, then = !now;
    grid_t *here = grid(me, now), *to = grid(me, then);
    gasnet_handle_t region = GASNET_INVALID_HANDLE;
    switch (step % 3) {
      case 0: /* puts into the neighbours' halos */
        gasnet_begin_nbi_accessregion();
        gasnet_put_nbi_bulk(up, grid(up, now)->below, here->row[0], sizeof(row_t));
        gasnet_put_nbi_bulk(down, grid(down, now)->above, here->row[ROWS - 1], sizeof(row_t));
        region = gasnet_end_nbi_accessregion();
        break;
      case 1: /* gets of the neighbours' edges; the barrier before this step says that they are ready */
        gasnet_begin_nbi_accessregion();
        gasnet_get_nbi_bulk(here->above, up, grid(up, now)->row[ROWS - 1], sizeof(row_t));
        gasnet_get_nbi(here->below, down, grid(down, now)->row[0], sizeof(row_t));
        region = gasnet_end_nbi_accessregion();
        break;
      default:
        CHECK(gasnet_AMRequestLong1(up, HALO, here->row[0], sizeof(row_t), grid(up, now)->below, now) == GASNET_OK);
        CHECK(gasnet_AMRequestLong1(down, HALO, here->row[ROWS - 1], sizeof(row_t), grid(down, now)->above, now) == GASNET_OK);
        longs++;
        GASNET_BLOCKUNTIL(__atomic_load_n(&arrived[0], __ATOMIC_RELAXED) + __atomic_load_n(&arrived[1], __ATOMIC_RELAXED) >= 2 * longs);
    }
    for (row = 1; row < ROWS - 1; row++) update(to->row[row], here->row[row - 1], here->row[row], here->row[row + 1]);
    while (gasnet_try_syncnb(region) == GASNET_ERR_NOT_READY) rounds++;
    gasnet_barrier_notify(step, 0); /* my puts have landed */
    if (step % 2) CHECK(gasnet_barrier_wait(step, 0) == GASNET_OK);
    else {
      int code;
      while ((code = gasnet_barrier_try(step, 0)) == GASNET_ERR_NOT_READY) rounds++;
      CHECK_EQ(code, GASNET_OK);
    }
    update(to->row[0], here->above, here->row[0], here->row[1]);
    update(to->row[ROWS - 1], here->row[ROWS - 2], here->row[ROWS - 1], here->below);
    barrier(); /* all have computed: edges may be fetched, halos overwritten */
  }
  all = (row_t *)calloc((size_t)rows, sizeof *all);
  next = (row_t *)calloc((size_t)rows, sizeof *next);
  MUST(all && next);
  for (row = 0; row < rows; row++)
    for (x = 0; x < WIDTH; x++) all[row][x] = start_value(row, x);
  for (step = 0; step < STEPS; step++) {
    row_t *swap = all;
    for (row = 0; row < rows; row++) update(next[row], all[(row + rows - 1) % rows], all[row], all[(row + 1) % rows]);
    all = next, next = swap;
  }
  CHECK(memcmp(all[ROWS * (int)me], grid(me, STEPS & 1)->row, sizeof(row_t) * ROWS) == 0);
  return check_end();
}
