/* Iterative methods with a sparse matrix, over the small PGAS runtime in pgas/: threads of several ranks share
   block-cyclic arrays.

   usage: spmv [FILE.mtx | SIDE] [-b ROWS] [-k STEPS] [-p PICTURE.svg]
          spmv --make-poisson SIDE > FILE.mtx
   FILE is a square matrix in Matrix Market's coordinate format; the default is Poisson's equation on a square of SIDE * SIDE
   points (40). For a symmetric positive definite matrix A the program solves A x = 1 by conjugate gradients, for any other
   matrix it determines the largest eigenvalue by power iteration. Rows and vectors are distributed over the threads in
   blocks of ROWS (default: four blocks per thread). At the end thread 0 repeats the computation serially and compares.

   Thread 0 reads the matrix and puts each thread's entries to memory of that thread: relaxed puts, then a strict put of
   their number, for which the thread waits. Before each product a thread gets the blocks of the vector that its columns
   need, as lists of pieces. Scalar products are collectives of all threads. For the picture each thread adds its entries
   to the cells of a shared canvas, whose rows are protected by locks. */
#include "pgas/pgas.h"
#include "spmv/matrix.h"
#include "spmv/picture.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TOLERANCE 1e-10 /* of the residual, relative */

static struct {
  const char *matrix, *picture;
  size_t block, steps;
} options = {"40", NULL, 0, 2000};

/* The matrix of a method: distributed over all threads, or whole on one. */
struct problem {
  size_t rows;                                   /* of them here */
  double *input;                                 /* the vector that is multiplied */
  void (*multiply)(const struct problem *, double *result);
  void (*sum)(double *values, size_t count);     /* over all threads with rows; afterwards `input` may be changed */
  const void *rest;
};

/* --- methods: the same for all threads together and for one alone ------------------------------------------------- */

static double product(size_t n, const double *x, const double *y) {
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += x[i] * y[i];
  return sum;
}

/* Solves A x = 1 in at most `steps` steps, fewer if the residual gets small enough; returns the number, with the residual
   after each. 0: A is not positive definite. */
static size_t conjugate_gradient(const struct problem *a, double *x, size_t steps, double tolerance, double *residuals) {
  size_t n = a->rows, done = 0;
  double *p = a->input, *r = (double *)pgas_private(n, sizeof *r), *q = (double *)pgas_private(n, sizeof *q);
  double before, after, first, direction;
  for (size_t i = 0; i < n; i++) x[i] = 0, p[i] = r[i] = 1;
  before = product(n, r, r);
  a->sum(&before, 1);
  first = before;
  while (done < steps) {
    a->multiply(a, q);
    direction = product(n, p, q);
    a->sum(&direction, 1);
    if (!(direction > 0)) {
      done = 0;
      break;
    }
    for (size_t i = 0; i < n; i++) x[i] += before / direction * p[i], r[i] -= before / direction * q[i];
    after = product(n, r, r);
    a->sum(&after, 1);
    residuals[done++] = sqrt(after / first);
    if (residuals[done - 1] <= tolerance) break;
    for (size_t i = 0; i < n; i++) p[i] = r[i] + after / before * p[i];
    before = after;
  }
  free(r), free(q);
  return done;
}

/* Looks for the eigenvalue of largest magnitude; a->input holds where to begin. As above; x is the vector, of length 1. */
static size_t power_iteration(const struct problem *a, double *x, size_t steps, double tolerance, double *residuals,
                              double *eigenvalue) {
  size_t n = a->rows, done = 0;
  double *y = (double *)pgas_private(n, sizeof *y), length = product(n, a->input, a->input), off;
  a->sum(&length, 1);
  for (size_t i = 0; i < n; i++) a->input[i] /= sqrt(length);
  while (done < steps) {
    double sums[2];
    a->multiply(a, y);
    sums[0] = product(n, a->input, y), sums[1] = product(n, y, y);
    a->sum(sums, 2);
    *eigenvalue = sums[0], length = sqrt(sums[1]), off = 0;
    for (size_t i = 0; i < n; i++) off += (y[i] - *eigenvalue * a->input[i]) * (y[i] - *eigenvalue * a->input[i]);
    a->sum(&off, 1);
    residuals[done++] = length > 0 ? sqrt(off) / length : 0;
    if (!(length > 0)) break;
    for (size_t i = 0; i < n; i++) a->input[i] = y[i] / length;
    if (residuals[done - 1] <= tolerance) break;
  }
  memcpy(x, a->input, n * sizeof *x);
  free(y);
  return done;
}
/* A start vector that is not an eigenvector. */
static double beginning(size_t row) { return 1 + (double)(row * 2654435761u % 1024) / 1024; }

/* --- the matrix, dealt to threads ---------------------------------------------------------------------------------- */

struct facts {
  size_t rows, entries, block, most; /* entries that a thread has */
  int symmetric, bad;
};
struct dealt {
  struct problem problem;
  pgas_array x;           /* the vector that is multiplied */
  struct entry *entries;  /* of our rows, in our memory; where there are none, NULL */
  size_t count;
  size_t *first;          /* by row here, and behind the last: of `column` and `value` */
  uint32_t *column;       /* in `cache` */
  double *value, *cache;  /* the blocks of the vector that our columns are in */
  void **to, **from;      /* where they go, and lie at their owners, by owner */
  size_t *pieces;         /* by thread, and behind the last: of `to` and `from` */
};

/* How many rows before `row` its owner has. */
static size_t place_of(const struct facts *f, size_t row) {
  return row / f->block / pgas_threads() * f->block + row % f->block;
}
static size_t rows_of(const struct facts *f, uint32_t thread) {
  size_t rows = 0;
  for (size_t at = thread * f->block; at < f->rows; at += pgas_threads() * f->block)
    rows += f->block < f->rows - at ? f->block : f->rows - at;
  return rows;
}

static void read_matrix(struct matrix *m, struct facts *f) {
  char *end;
  unsigned long side = strtoul(options.matrix, &end, 10);
  const char *bad = *end ? matrix_read(m, options.matrix) : matrix_poisson(m, side > 4000 ? 4001 : (uint32_t)side);
  uint32_t threads = pgas_threads();
  *f = (struct facts){m->rows, m->count, options.block, 0, m->symmetric, bad != NULL};
  if (bad) {
    fprintf(stderr, "spmv: %s: %s\n", options.matrix, bad);
    return;
  }
  if (f->block == 0) f->block = (f->rows + 4 * threads - 1) / (4 * threads);
  if (f->block > f->rows) f->block = f->rows;
}

/* The number of entries that go to each thread. */
static size_t *shares(const struct matrix *m, struct facts *f) {
  size_t *count = (size_t *)pgas_private(pgas_threads(), sizeof *count);
  for (size_t i = 0; i < m->count; i++) count[m->entries[i].row / f->block % pgas_threads()]++;
  for (uint32_t t = 0; t < pgas_threads(); t++)
    if (count[t] > f->most) f->most = count[t];
  return count;
}

static void send_shares(const struct matrix *m, const struct facts *f, const size_t *count, const pgas_array *parts,
                        const pgas_array *ready) {
  struct entry *sorted = (struct entry *)pgas_private(m->count, sizeof *sorted);
  size_t *next = (size_t *)pgas_private(pgas_threads() + 1, sizeof *next);
  for (uint32_t t = 0; t < pgas_threads(); t++) next[t + 1] = next[t] + count[t];
  for (size_t i = 0; i < m->count; i++) sorted[next[m->entries[i].row / f->block % pgas_threads()]++] = m->entries[i];
  for (uint32_t t = 0; t < pgas_threads(); t++) {
    uint64_t there = count[t] + 1;
    if (count[t]) pgas_put(pgas_at(parts, t * f->most), sorted + next[t] - count[t], count[t] * sizeof *sorted);
    /* A thread that reads this sees the entries. */
    pgas_put_strict(pgas_at(ready, t), &there, sizeof there);
  }
  free(sorted), free(next);
}

/* Our rows one after the other, and the blocks of the vector that they need. */
static void arrange(struct dealt *d, const struct facts *f) {
  size_t rows = d->problem.rows, blocks = (f->rows + f->block - 1) / f->block, count = 0;
  uint32_t *slot = (uint32_t *)pgas_private(blocks, sizeof *slot);
  d->first = (size_t *)pgas_private(rows + 2, sizeof *d->first);
  d->column = (uint32_t *)pgas_private(d->count, sizeof *d->column);
  d->value = (double *)pgas_private(d->count, sizeof *d->value);
  for (size_t i = 0; i < d->count; i++) {
    d->first[place_of(f, d->entries[i].row) + 2]++;
    slot[d->entries[i].col / f->block] = 1;
  }
  for (size_t b = 0; b < blocks; b++) count += slot[b];
  d->cache = (double *)pgas_private(count * f->block, sizeof *d->cache);
  d->to = (void **)pgas_private(count, sizeof *d->to), d->from = (void **)pgas_private(count, sizeof *d->from);
  d->pieces = (size_t *)pgas_private(pgas_threads() + 1, sizeof *d->pieces);
  count = 0;
  for (uint32_t t = 0; t < pgas_threads(); t++) {
    for (size_t b = t; b < blocks; b += pgas_threads())
      if (slot[b]) {
        d->to[count] = d->cache + count * f->block, d->from[count] = pgas_at(&d->x, b * f->block).addr;
        slot[b] = (uint32_t)count++;
      }
    d->pieces[t + 1] = count;
  }
  for (size_t r = 0; r < rows; r++) d->first[r + 2] += d->first[r + 1];
  for (size_t i = 0; i < d->count; i++) {
    const struct entry *e = &d->entries[i];
    size_t at = d->first[place_of(f, e->row) + 1]++;
    d->column[at] = (uint32_t)(slot[e->col / f->block] * f->block + e->col % f->block);
    d->value[at] = e->value;
  }
  free(slot);
}

static void multiply_together(const struct problem *problem, double *result) {
  const struct dealt *d = (const struct dealt *)problem->rest;
  pgas_barrier(__LINE__); /* all parts of the vector are written */
  for (uint32_t i = 1; i <= pgas_threads(); i++) {
    uint32_t t = (pgas_me() + i) % pgas_threads();
    size_t at = d->pieces[t], count = d->pieces[t + 1] - at;
    if (count) pgas_get_pieces(d->to + at, t, d->from + at, count, d->x.block * d->x.elem);
  }
  pgas_fence();
  for (size_t r = 0; r < problem->rows; r++) {
    double sum = 0;
    for (size_t i = d->first[r]; i < d->first[r + 1]; i++) sum += d->value[i] * d->cache[d->column[i]];
    result[r] = sum;
  }
}

static void deal(struct dealt *d, const struct matrix *m, struct facts *f) {
  size_t *count = pgas_me() == 0 && !f->bad ? shares(m, f) : NULL;
  pgas_array parts, ready;
  uint64_t there = 0;
  pgas_broadcast(f, sizeof *f, 0);
  if (f->bad) return;
  if (f->most == 0) f->most = 1;
  parts = pgas_alloc(f->most * pgas_threads(), sizeof(struct entry), f->most);
  ready = pgas_alloc(pgas_threads(), sizeof there, 1);
  d->x = pgas_alloc((f->rows + f->block - 1) / f->block * f->block, sizeof(double), f->block);
  if (count) send_shares(m, f, count, &parts, &ready);
  free(count);
  for (;;) {
    pgas_get_strict(&there, pgas_at(&ready, pgas_me()), sizeof there);
    if (there) break;
    pgas_poll();
  }
  d->count = there - 1;
  d->entries = (struct entry *)pgas_local(pgas_at(&parts, pgas_me() * f->most));
  d->problem = (struct problem){rows_of(f, pgas_me()), (double *)pgas_local(pgas_at(&d->x, pgas_me() * f->block)),
                                multiply_together, pgas_sum, d};
  arrange(d, f);
}

/* --- alone --------------------------------------------------------------------------------------------------------- */

static void multiply_alone(const struct problem *problem, double *result) {
  const struct matrix *m = (const struct matrix *)problem->rest;
  memset(result, 0, problem->rows * sizeof *result);
  for (size_t i = 0; i < m->count; i++)
    result[m->entries[i].row] += m->entries[i].value * problem->input[m->entries[i].col];
}
static void sum_alone(double *values, size_t count) { (void)values, (void)count; }

/* Thread 0 fetches `x` of all threads, repeats the computation alone and compares. Returns the largest difference. */
static double difference(const struct matrix *m, const struct facts *f, const pgas_array *x, int solved, size_t steps) {
  double *theirs = (double *)pgas_private(f->rows + f->block, sizeof *theirs);
  double *mine = (double *)pgas_private(f->rows, sizeof *mine), *residuals = (double *)pgas_private(steps, sizeof *residuals);
  double *input = (double *)pgas_private(f->rows, sizeof *input), largest = 0, worst = 0, eigenvalue;
  struct problem alone = {f->rows, input, multiply_alone, sum_alone, m};
  for (size_t row = 0; row < f->rows; row += f->block) pgas_get(theirs + row, pgas_at(x, row), f->block * sizeof *theirs);
  for (size_t i = 0; i < f->rows; i++) input[i] = beginning(i);
  if (solved) conjugate_gradient(&alone, mine, steps, 0, residuals);
  else power_iteration(&alone, mine, steps, 0, residuals, &eigenvalue);
  for (size_t i = 0; i < f->rows; i++) {
    double off = fabs(theirs[i] - mine[i]);
    largest = fmax(largest, fabs(mine[i]));
    if (!(off <= worst)) worst = off; /* a NaN counts as the largest difference */
  }
  free(theirs), free(mine), free(residuals), free(input);
  return largest > 0 ? worst / largest : worst;
}

/* --- the picture --------------------------------------------------------------------------------------------------- */

static void draw(const struct dealt *d, const struct facts *f, const char *title, const double *residuals, size_t steps) {
  pgas_array canvas = pgas_alloc(CANVAS * CANVAS, sizeof(struct cell), CANVAS);
  pgas_array locks = pgas_alloc(CANVAS, sizeof(pgas_lock_t), 1);
  uint32_t *counts = (uint32_t *)pgas_private(CANVAS * CANVAS, sizeof *counts);
  struct cell *all = (struct cell *)pgas_private(CANVAS * CANVAS, sizeof *all);
  for (size_t i = 0; i < d->count; i++)
    counts[(size_t)d->entries[i].row * CANVAS / f->rows * CANVAS + (size_t)d->entries[i].col * CANVAS / f->rows]++;
  for (size_t i = 0; i < CANVAS; i++) {
    size_t y = (i + pgas_me() * CANVAS / pgas_threads()) % CANVAS, used = 0;
    uint32_t *mine = counts + y * CANVAS;
    struct cell row[CANVAS];
    for (size_t x = 0; x < CANVAS; x++) used += mine[x];
    if (used == 0) continue;
    pgas_lock(pgas_at(&locks, y));
    pgas_get(row, pgas_at(&canvas, y * CANVAS), sizeof row);
    for (size_t x = 0; x < CANVAS; x++) {
      row[x].count += mine[x];
      if (mine[x] > row[x].most) row[x].most = mine[x], row[x].thread = pgas_me();
    }
    pgas_put(pgas_at(&canvas, y * CANVAS), row, sizeof row);
    pgas_unlock(pgas_at(&locks, y));
  }
  pgas_barrier(__LINE__);
  if (pgas_me() == 0) {
    struct picture picture = {title, pgas_threads(), (uint32_t)f->rows, all, residuals, steps};
    for (size_t y = 0; y < CANVAS; y++) pgas_get(all + y * CANVAS, pgas_at(&canvas, y * CANVAS), CANVAS * sizeof *all);
    if (picture_write(&picture, options.picture) != 0) pgas_fail("%s: %s", options.picture, strerror(errno));
    printf("spmv: the picture is %s\n", options.picture);
  }
  free(counts), free(all);
}

/* --- the program ---------------------------------------------------------------------------------------------------- */

/* Prints how evenly the work is distributed. */
static void report_shares(const struct dealt *d) {
  struct share { size_t entries, pieces; } mine = {d->count, d->pieces[pgas_threads()]};
  struct share *all = (struct share *)pgas_private(pgas_threads(), sizeof *all), least = mine, most = mine;
  pgas_gather_all(all, &mine, sizeof mine);
  for (uint32_t t = 0; t < pgas_threads(); t++) {
    if (all[t].entries < least.entries) least.entries = all[t].entries;
    if (all[t].entries > most.entries) most.entries = all[t].entries;
    if (all[t].pieces < least.pieces) least.pieces = all[t].pieces;
    if (all[t].pieces > most.pieces) most.pieces = all[t].pieces;
  }
  if (pgas_me() == 0)
    printf("  a thread has %zu to %zu entries and needs %zu to %zu blocks of the vector\n", least.entries, most.entries,
           least.pieces, most.pieces);
  free(all);
}

static int program(int argc, char **argv) {
  struct matrix m = {0, 0, NULL, 0};
  struct facts f = {0, 0, 0, 0, 0, 0};
  struct dealt d;
  pgas_array solution;
  size_t steps = 0;
  int solved;
  double *x, *residuals, eigenvalue = 0, worst = 0;
  char title[200];
  (void)argc, (void)argv;
  if (pgas_me() == 0) read_matrix(&m, &f);
  deal(&d, &m, &f);
  if (f.bad) return 1;

  solution = pgas_alloc(d.x.count, sizeof *x, f.block);
  x = (double *)pgas_local(pgas_at(&solution, pgas_me() * f.block));
  residuals = (double *)pgas_private(options.steps, sizeof *residuals);
  if (f.symmetric) steps = conjugate_gradient(&d.problem, x, options.steps, TOLERANCE, residuals);
  solved = steps > 0;
  if (!solved) {
    for (size_t row = 0; row < f.rows; row++)
      if (pgas_owner(&d.x, row) == pgas_me()) d.problem.input[place_of(&f, row)] = beginning(row);
    steps = power_iteration(&d.problem, x, options.steps, TOLERANCE, residuals, &eigenvalue);
  }
  pgas_barrier(__LINE__);

  snprintf(title, sizeof title, "%zu rows, %zu entries, %u threads of %u ranks: %s", f.rows, f.entries,
           (unsigned)pgas_threads(), (unsigned)pgas_ranks(), solved ? "conjugate gradients" : "power iteration");
  if (pgas_me() == 0) {
    printf("spmv: %s\n  %zu steps, residual %.1e", title, steps, residuals[steps - 1]);
    if (!solved) printf(", eigenvalue %.12g", eigenvalue);
    printf("\n");
  }
  report_shares(&d);
  if (pgas_me() == 0) {
    worst = difference(&m, &f, &solution, solved, steps);
        printf("spmv: %s: differs from a serial run by at most %.1e\n", worst <= 1e-7 ? "correct" : "ERROR", worst);
  }
  if (options.picture) draw(&d, &f, title, residuals, steps);
  fflush(stdout);
  matrix_free(&m);
  return !(worst <= 1e-7);
}

static void usage(void) {
  fprintf(stderr, "usage: spmv [FILE.mtx | SIDE] [-b ROWS] [-k STEPS] [-p PICTURE.svg]\n"
                  "       spmv --make-poisson SIDE > FILE.mtx\n");
  exit(2);
}
static size_t number(const char *text) {
  char *end;
  unsigned long value = text && *text >= '0' && *text <= '9' ? strtoul(text, &end, 10) : 0;
  if (value == 0 || *end || value > 1000000000) usage();
  return value;
}

int main(int argc, char **argv) {
  if (argc == 3 && strcmp(argv[1], "--make-poisson") == 0) {
    struct matrix m;
    const char *bad = matrix_poisson(&m, (uint32_t)number(argv[2]));
    if (bad) return fprintf(stderr, "spmv: %s\n", bad), 1;
    matrix_write(&m, stdout);
    return fflush(stdout) != 0;
  }
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "-b") == 0) options.block = number(argv[++i]);
    else if (strcmp(argv[i], "-k") == 0) options.steps = number(argv[++i]);
    else if (strcmp(argv[i], "-p") == 0 && i + 1 < argc) options.picture = argv[++i];
    else if (argv[i][0] == '-' || !argv[i][0]) usage();
    else options.matrix = argv[i];
  }
  pgas_run(argc, argv, program);
}
