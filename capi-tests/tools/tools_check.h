/* Used by the tests of the tools: only gasnet_tools.h, no job. A test that passes prints `ok 0`. */
#ifndef CAPI_TESTS_TOOLS_CHECK_H
#define CAPI_TESTS_TOOLS_CHECK_H

#include <gasnet_tools.h>

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define CHECK_UNUSED __attribute__((unused))

static CHECK_UNUSED int check_failures;

static CHECK_UNUSED void check_failed(const char *file, int line, const char *what) {
  if (__atomic_add_fetch(&check_failures, 1, __ATOMIC_RELAXED) <= 8)
    fprintf(stderr, "ERROR: %s:%d: %s\n", file, line, what);
}
static CHECK_UNUSED void check_equal(const char *file, int line, const char *what, long long a, long long b) {
  char text[400];
  if (a == b) return;
  snprintf(text, sizeof text, "%s: %lld, not %lld", what, a, b);
  check_failed(file, line, text);
}
#define CHECK(cond) ((cond) ? (void)0 : check_failed(__FILE__, __LINE__, #cond))
#define CHECK_EQ(a, b) check_equal(__FILE__, __LINE__, #a " == " #b, (long long)(a), (long long)(b))
#define MUST(cond) ((cond) ? (void)0 : (check_failed(__FILE__, __LINE__, #cond), exit(99)))

static CHECK_UNUSED int check_end(void) {
  if (check_failures) return 1;
  printf("ok 0\n");
  return 0;
}

/* Runs fn(0..n-1) on n threads and waits for them. */
struct check_thread {
  pthread_t id;
  int i;
  void (*fn)(int);
};
static CHECK_UNUSED void *check_thread_main(void *arg) {
  struct check_thread *t = (struct check_thread *)arg;
  t->fn(t->i);
  return NULL;
}
static CHECK_UNUSED void on_threads(int n, void (*fn)(int)) {
  struct check_thread *t = (struct check_thread *)calloc((size_t)n, sizeof *t);
  int i;
  for (i = 0; i < n; i++) {
    t[i].i = i, t[i].fn = fn;
    MUST(pthread_create(&t[i].id, NULL, check_thread_main, &t[i]) == 0);
  }
  for (i = 0; i < n; i++) pthread_join(t[i].id, NULL);
  free(t);
}

#endif
