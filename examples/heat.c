/* Heat conduction along a rod that is distributed over the ranks: each step puts the edge cells into the neighbours'
   halos. The ends are held at 0 and 1 degree, so the exact solution is a straight line.
   Usage: heat [cells-per-rank [steps]] */
#include <gasnet.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void barrier(void) {
  gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
  gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS);
}

/* Layout of a segment: two arrays of n + 2 cells, for even and odd steps, with cells 0 and n + 1 as halo; then one sum per rank. */
static double *half(gasnet_seginfo_t seg, int which, int n) { return (double *)seg.addr + which * (n + 2); }

int main(int argc, char **argv) {
  if (gasnet_init(&argc, &argv) != GASNET_OK) return 1;
  int me = (int)gasnet_mynode(), ranks = (int)gasnet_nodes();
  int n = argc > 1 ? atoi(argv[1]) : 16, all = n, steps = argc > 2 ? atoi(argv[2]) : 2 * n * ranks * n * ranks;
  size_t bytes = (2 * (size_t)(n + 2) + (size_t)ranks) * sizeof(double);
  bytes = (bytes + GASNET_PAGESIZE - 1) / GASNET_PAGESIZE * GASNET_PAGESIZE;
  if (gasnet_attach(NULL, 0, bytes, 0) != GASNET_OK) return 1;

  gasnet_seginfo_t *seg = malloc((size_t)ranks * sizeof *seg);
  gasnet_getSegmentInfo(seg, ranks);
  for (int i = 0; i < 2 * (n + 2); i++) ((double *)seg[me].addr)[i] = 0;
  if (me == ranks - 1) half(seg[me], 0, n)[n + 1] = half(seg[me], 1, n)[n + 1] = 1;
  barrier();

  for (int step = 0; step < steps; step++) {
    double *now = half(seg[me], step % 2, n), *next = half(seg[me], 1 - step % 2, n);
    for (int i = 1; i <= n; i++) next[i] = now[i] + 0.5 * (now[i - 1] - 2 * now[i] + now[i + 1]);
    if (me > 0) gasnet_put_nbi((gasnet_node_t)(me - 1), half(seg[me - 1], 1 - step % 2, n) + n + 1, next + 1, sizeof(double));
    if (me < ranks - 1) gasnet_put_nbi((gasnet_node_t)(me + 1), half(seg[me + 1], 1 - step % 2, n), next + n, sizeof(double));
    gasnet_wait_syncnbi_puts();
    barrier();
  }

    /* Each rank puts its sum of squared errors behind rank 0's cells. */
  double *cell = half(seg[me], steps % 2, n), error = 0, cells = (double)n * ranks;
  for (int i = 1; i <= n; i++) {
    double exact = (me * n + i) / (cells + 1);
    error += (cell[i] - exact) * (cell[i] - exact);
  }
  gasnet_put(0, (double *)seg[0].addr + 2 * (n + 2) + me, &error, sizeof error);
  barrier();
  if (me == 0) {
    double sum = 0;
    for (int r = 0; r < ranks; r++) sum += ((double *)seg[0].addr)[2 * (n + 2) + r];
        printf("heat: %d cells on %d ranks, %d steps: root mean square error %.1e\n", (int)cells, ranks, steps,
           sqrt(sum / cells));
  }
  barrier();
  gasnet_exit(0);
}
