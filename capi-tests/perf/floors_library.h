/* Common to floors over a communication library: their command line, and the median of repeated measurements.
 * `PROGRAM [-r REPEATS] [-m MS] NAME BYTES`, started by the library's launcher; rank 0 prints the name, the bytes and the nanoseconds of
 * one transfer. */
#ifndef FLOORS_LIBRARY_H
#define FLOORS_LIBRARY_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct library_floor {
  const char *name;
  void (*run)(int transfers, int bytes);
};

struct floor_wish {
  const struct library_floor *floor;
  int repeats, bytes;
  double ms;
};

/* 0 for a command line that names no floor. */
static inline int floor_wish(struct floor_wish *wish, int argc, char **argv, const struct library_floor *floors, size_t count, int most_bytes) {
  *wish = (struct floor_wish){NULL, 5, 0, 10};
  while (argc > 2 && argv[1][0] == '-') {
    if (argv[1][1] == 'r') wish->repeats = atoi(argv[2]);
    else wish->ms = atof(argv[2]);
    argc -= 2, argv += 2;
  }
  for (size_t i = 0; argc > 1 && i < count; i++)
    if (!strcmp(argv[1], floors[i].name)) wish->floor = &floors[i];
  wish->bytes = argc > 2 ? atoi(argv[2]) : 0;
  if (wish->floor && wish->repeats >= 1 && wish->repeats <= 99 && wish->bytes >= 0 && wish->bytes <= most_bytes) return 1;
  fprintf(stderr, "floors: which floor, and of how many bytes?\n");
  return 0;
}

static inline int by_value(const void *a, const void *b) { return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b); }

/* `seconds` measures a number of transfers, with the same result on all ranks. */
static inline void measure_floor(const struct floor_wish *wish, int rank, double (*seconds)(void (*run)(int, int), int transfers, int bytes)) {
  int n = 64;
  double took[99];
  while (seconds(wish->floor->run, n, wish->bytes) * 1e3 < wish->ms && n < 1 << 24) n *= 2;
  for (int i = 0; i < wish->repeats; i++) took[i] = seconds(wish->floor->run, n, wish->bytes) / n * 1e9;
  qsort(took, (size_t)wish->repeats, sizeof *took, by_value);
  if (rank == 0) printf("%s\t%d\t%.2f\n", wish->floor->name, wish->bytes, took[wish->repeats / 2]);
}

#endif
