/* The picture of a run, as SVG. */
#ifndef SPMV_PICTURE_H
#define SPMV_PICTURE_H

#include <stddef.h>
#include <stdint.h>

#define CANVAS 120 /* cells along each side of the matrix */

/* A cell of the picture of a matrix: the number of entries, and the thread that owns most of them. */
struct cell {
  uint32_t count, most, thread;
};

struct picture {
  const char *title;
  uint32_t threads, rows;
  const struct cell *cells; /* CANVAS * CANVAS, by rows */
  const double *residuals;  /* one a step */
  size_t steps;
};

/* Returns 0, or -1 with errno set. */
int picture_write(const struct picture *p, const char *path);

#endif
