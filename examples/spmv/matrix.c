#include "matrix.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static char problem[256];
static unsigned long line_number;

static const char *wrong(const char *format, ...) __attribute__((__format__(__printf__, 1, 2)));
static const char *wrong(const char *format, ...) {
  va_list list;
  va_start(list, format);
  vsnprintf(problem, sizeof problem, format, list);
  va_end(list);
  return problem;
}

static int room_for(struct matrix *m, size_t count) {
  if (count > SIZE_MAX / sizeof *m->entries) return 0;
  m->entries = (struct entry *)malloc(count ? count * sizeof *m->entries : 1);
  return m->entries != NULL;
}

static void add(struct matrix *m, uint32_t row, uint32_t col, double value) {
  m->entries[m->count++] = (struct entry){row, col, value};
}

/* Reads the next line that is neither empty nor a comment. 1: there is one; 0: the file has ended; -1: it is too long for one of these files. */
static int next_line(FILE *file, char *line, int room) {
  while (fgets(line, room, file)) {
    size_t length = strlen(line), at = 0;
    line_number++;
    if (length + 1 == (size_t)room && line[length - 1] != '\n') {
      int c;
      if (line[0] != '%') return -1;
      while ((c = getc(file)) != EOF && c != '\n') {}
      continue;
    }
    while (isspace((unsigned char)line[at])) at++;
    if (line[at] && line[at] != '%') return 1;
  }
  return 0;
}

/* Reads a whole number from `least` to `most` at *at, and advances *at past it. */
static int whole(char **at, uint64_t least, uint64_t most, uint64_t *value) {
  char *end;
  while (isspace((unsigned char)**at)) ++*at;
  if (!isdigit((unsigned char)**at)) return 0;
  errno = 0;
  *value = strtoull(*at, &end, 10);
  *at = end;
  return errno == 0 && *value >= least && *value <= most && (isspace((unsigned char)*end) || !*end);
}
static int at_end(const char *at) {
  while (isspace((unsigned char)*at)) at++;
  return !*at;
}

enum field { REAL, INTEGER, PATTERN };
enum symmetry { GENERAL, SYMMETRIC, SKEW };

static const char *read_header(FILE *file, enum field *field, enum symmetry *symmetry) {
  static const char *const fields[] = {"real", "integer", "pattern"};
  static const char *const symmetries[] = {"general", "symmetric", "skew-symmetric"};
  char line[1024], object[32], format[32], what[32], how[32];
  int i;
  line_number = 1;
  if (!fgets(line, sizeof line, file) || strncmp(line, "%%MatrixMarket", 14) != 0)
    return wrong("no Matrix Market file: it does not begin with %%%%MatrixMarket");
  for (i = 0; line[i]; i++) line[i] = (char)tolower((unsigned char)line[i]);
  if (sscanf(line + 14, " %31s %31s %31s %31s", object, format, what, how) != 4)
    return wrong("line 1 has not four words after %%%%MatrixMarket");
  if (strcmp(object, "matrix") != 0) return wrong("line 1: the object is `%s', not matrix", object);
  if (strcmp(format, "coordinate") != 0) return wrong("line 1: the format is `%s', not coordinate", format);
  for (i = 0; i < 3 && strcmp(what, fields[i]) != 0; i++) {}
  if (i == 3) return wrong("line 1: entries are `%s', not real, integer or pattern", what);
  *field = (enum field)i;
  for (i = 0; i < 3 && strcmp(how, symmetries[i]) != 0; i++) {}
  if (i == 3) return wrong("line 1: the matrix is `%s', not general, symmetric or skew-symmetric", how);
  *symmetry = (enum symmetry)i;
  return NULL;
}

static const char *no_place(const char *what, uint32_t rows) {
  return wrong("line %lu: the %s is not a number from 1 to %u", line_number, what, (unsigned)rows);
}

static const char *read_entries(struct matrix *m, FILE *file, uint64_t listed, enum field field, enum symmetry symmetry) {
  char line[1024];
  for (uint64_t done = 0; done < listed; done++) {
    uint64_t row, col;
    double value = 1;
    char *at = line, *end;
    int got = next_line(file, line, sizeof line);
    if (got < 0) return wrong("line %lu is too long", line_number);
    if (got == 0) return wrong("it ends after %" PRIu64 " of %" PRIu64 " entries", done, listed);
    if (!whole(&at, 1, m->rows, &row)) return no_place("row", m->rows);
    if (!whole(&at, 1, m->rows, &col)) return no_place("column", m->rows);
    if (field != PATTERN) {
      value = strtod(at, &end);
      if (end == at || !isfinite(value)) return wrong("line %lu has no value that is a finite number", line_number);
      if (field == INTEGER && value != floor(value)) return wrong("line %lu: the value is no whole number", line_number);
      at = end;
    }
    if (!at_end(at)) return wrong("line %lu goes on after the entry", line_number);
    if (symmetry != GENERAL && row < col)
      return wrong("line %lu: an entry above the diagonal of a matrix that is symmetric", line_number);
    if (symmetry == SKEW && row == col)
      return wrong("line %lu: an entry on the diagonal of a skew-symmetric matrix", line_number);
    add(m, (uint32_t)row - 1, (uint32_t)col - 1, value);
    if (symmetry != GENERAL && row != col) add(m, (uint32_t)col - 1, (uint32_t)row - 1, symmetry == SKEW ? -value : value);
  }
  if (next_line(file, line, sizeof line) != 0)
    return wrong("line %lu: more than the %" PRIu64 " entries that were promised", line_number, listed);
  return NULL;
}

static const char *read_open(struct matrix *m, FILE *file) {
  enum field field = REAL;
  enum symmetry symmetry = GENERAL;
  char line[1024], *at = line;
  uint64_t rows, cols, listed;
  const char *bad = read_header(file, &field, &symmetry);
  if (bad) return bad;
  if (next_line(file, line, sizeof line) != 1) return wrong("it ends before the line with the sizes");
  if (!whole(&at, 1, INT32_MAX, &rows) || !whole(&at, 1, INT32_MAX, &cols) || !whole(&at, 0, UINT64_MAX, &listed) ||
      !at_end(at))
    return wrong("line %lu is not rows, columns and number of entries", line_number);
  if (rows != cols) return wrong("the matrix is %" PRIu64 " x %" PRIu64 ", not square", rows, cols);
  if (listed > rows * cols)
    return wrong("%" PRIu64 " entries are more than a matrix of %" PRIu64 " x %" PRIu64 " has", listed, rows, cols);
  m->rows = (uint32_t)rows;
  m->symmetric = symmetry == SYMMETRIC;
  if (listed > SIZE_MAX / 4 || !room_for(m, 2 * (size_t)listed)) return wrong("no memory for %" PRIu64 " entries", listed);
  return read_entries(m, file, listed, field, symmetry);
}

const char *matrix_read(struct matrix *m, const char *path) {
  FILE *file = fopen(path, "r");
  const char *bad;
  *m = (struct matrix){0, 0, NULL, 0};
  if (!file) return strerror(errno);
  bad = read_open(m, file);
  if (!bad && ferror(file)) bad = "it cannot be read to its end";
  fclose(file);
  if (bad) matrix_free(m);
  return bad;
}

const char *matrix_poisson(struct matrix *m, uint32_t side) {
  *m = (struct matrix){0, 0, NULL, 1};
  if (side < 1 || side > 4000) return wrong("a side of %u is not from 1 to 4000", (unsigned)side);
  if (!room_for(m, (size_t)side * side * 5)) return wrong("no memory for %u x %u points", (unsigned)side, (unsigned)side);
  m->rows = side * side;
  for (uint32_t i = 0; i < m->rows; i++) {
    if (i >= side) add(m, i, i - side, -1);
    if (i % side) add(m, i, i - 1, -1);
    add(m, i, i, 4);
    if ((i + 1) % side) add(m, i, i + 1, -1);
    if (i + side < m->rows) add(m, i, i + side, -1);
  }
  return NULL;
}

void matrix_write(const struct matrix *m, FILE *file) {
  size_t kept = 0;
  for (size_t i = 0; i < m->count; i++) kept += m->entries[i].row >= m->entries[i].col;
  fprintf(file, "%%%%MatrixMarket matrix coordinate real symmetric\n%u %u %zu\n", (unsigned)m->rows, (unsigned)m->rows,
          kept);
  for (size_t i = 0; i < m->count; i++) {
    const struct entry *e = &m->entries[i];
    if (e->row >= e->col) fprintf(file, "%u %u %.17g\n", (unsigned)e->row + 1, (unsigned)e->col + 1, e->value);
  }
}

void matrix_free(struct matrix *m) {
  free(m->entries);
  *m = (struct matrix){0, 0, NULL, 0};
}
