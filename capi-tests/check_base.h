/* What all C tests share, whichever interface they use: CHECK on each rank, patterns, threads.
 *
 * check.h (GASNet-1) and check_ex.h (GASNet-EX) include it after the public header. A rank that reaches the end without a
 * failed CHECK writes `ok RANK` to stdout; the runner wants to see that line from each rank, and exit code 0. */
#ifndef CAPI_TESTS_CHECK_BASE_H
#define CAPI_TESTS_CHECK_BASE_H

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CHECK_UNUSED __attribute__((unused))

static int check_failures;
static int check_rank = -1;

/* Prints the failed claim and its place, and continues, so that one run shows all failures. */
static CHECK_UNUSED void check_failed(const char *file, int line, const char *what) {
  char text[512];
  int n, seen = __atomic_add_fetch(&check_failures, 1, __ATOMIC_RELAXED);
  if (seen > 8) return;
  n = snprintf(text, sizeof text, "ERROR: rank %d: %s:%d: %s\n", check_rank, file, line, what);
  if (n > (int)sizeof text - 1) n = (int)sizeof text - 1;
  if (write(2, text, (size_t)n) < 0) abort();
}

static CHECK_UNUSED void check_equal(const char *file, int line, const char *what, long long a, long long b) {
  char text[400];
  if (a == b) return;
  snprintf(text, sizeof text, "%s: %lld, not %lld", what, a, b);
  check_failed(file, line, text);
}

#define CHECK(cond) ((cond) ? (void)0 : check_failed(__FILE__, __LINE__, #cond))
#define CHECK_EQ(a, b) check_equal(__FILE__, __LINE__, #a " == " #b, (long long)(a), (long long)(b))
/* For a call without which the rest makes no sense. */
#define MUST(cond) ((cond) ? (void)0 : (check_failed(__FILE__, __LINE__, #cond), gasnet_exit(99)))

#define COUNT_OF(a) ((int)(sizeof(a) / sizeof((a)[0])))

/* Writes `ok RANK` if no check failed; returns whether one did. */
static CHECK_UNUSED int check_verdict(void) {
  char text[32];
  int failed = __atomic_load_n(&check_failures, __ATOMIC_RELAXED);
  if (!failed) {
    int n = snprintf(text, sizeof text, "ok %d\n", check_rank);
    if (write(1, text, (size_t)n) != n) abort();
  }
  return failed != 0;
}

/* Reproducible random numbers (xorshift64*). */
static CHECK_UNUSED uint64_t rnd(uint64_t *state) {
  uint64_t x = *state;
  x ^= x >> 12, x ^= x << 25, x ^= x >> 27;
  *state = x;
  return x * 0x2545F4914F6CDD1Dull;
}

/* A byte pattern that depends on where it is and whose it is. */
static CHECK_UNUSED void fill(void *p, size_t n, unsigned seed) {
  unsigned char *b = (unsigned char *)p;
  size_t i;
  for (i = 0; i < n; i++) b[i] = (unsigned char)(seed * 131u + i * 7u + (i >> 8));
}
static CHECK_UNUSED int filled(const void *p, size_t n, unsigned seed) {
  const unsigned char *b = (const unsigned char *)p;
  size_t i;
  for (i = 0; i < n; i++)
    if (b[i] != (unsigned char)(seed * 131u + i * 7u + (i >> 8))) return 0;
  return 1;
}
static CHECK_UNUSED int all_bytes(const void *p, size_t n, int value) {
  const unsigned char *b = (const unsigned char *)p;
  size_t i;
  for (i = 0; i < n; i++)
    if (b[i] != (unsigned char)value) return 0;
  return 1;
}

/* Runs `fn(0..n-1)` on n threads and waits for them. */
typedef void (*check_thread_fn)(int);
struct check_thread { pthread_t id; int i; check_thread_fn fn; };
static CHECK_UNUSED void *check_thread_main(void *arg) {
  struct check_thread *t = (struct check_thread *)arg;
  t->fn(t->i);
  return NULL;
}
static CHECK_UNUSED void on_threads(int n, check_thread_fn fn) {
  struct check_thread *t = (struct check_thread *)calloc((size_t)n, sizeof *t);
  int i;
  for (i = 0; i < n; i++) {
    t[i].i = i, t[i].fn = fn;
    MUST(pthread_create(&t[i].id, NULL, check_thread_main, &t[i]) == 0);
  }
  for (i = 0; i < n; i++) pthread_join(t[i].id, NULL);
  free(t);
}

#define KiB(n) ((size_t)(n) << 10)
#define MiB(n) ((size_t)(n) << 20)

#endif
