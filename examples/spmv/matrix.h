/* Square sparse matrices: read from a Matrix Market file, or generated. */
#ifndef SPMV_MATRIX_H
#define SPMV_MATRIX_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct entry {
  uint32_t row, col; /* from 0 */
  double value;
};
struct matrix {
  uint32_t rows;
  size_t count;
    struct entry *entries; /* all entries, also those that a symmetric file omits */
  int symmetric;
};

/* Reads coordinate matrices of real, integer or pattern entries that are general, symmetric or skew-symmetric.
      Returns NULL, or a description of the error, as text for one line. */
const char *matrix_read(struct matrix *m, const char *path);
/* The five-point stencil of Poisson's equation on a square of side * side points. Returns NULL, or a description of the error. */
const char *matrix_poisson(struct matrix *m, uint32_t side);
/* Writes a symmetric matrix as Matrix Market file. */
void matrix_write(const struct matrix *m, FILE *file);
void matrix_free(struct matrix *m);

#endif
