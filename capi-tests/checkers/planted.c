/* A program with one fault, which its argument names: the checkers must find each. */
#include <gasnet.h>
#include <gasnetex.h>

#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *segment;
static volatile int zero;
static long shared_word;

/* In the client. */
static void heap_overflow(void) {
  char *bytes = malloc(10);
  bytes[10 + zero] = 1;
  printf("%d\n", bytes[10 + zero]);
  free(bytes);
}
static void undefined(void) {
  int most = INT_MAX - zero;
  printf("%d\n", most + 1);
}
static void uninitialised(void) {
  char *bytes = malloc(10);
  if (bytes[zero] == 3) printf("3\n");
  free(bytes);
}
static void *add(void *arg) {
  int i;
  for (i = 0; i < 1000; i++) shared_word += (long)(size_t)arg;
  return NULL;
}
static void race(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, add, (void *)1);
  pthread_create(&threads[1], NULL, add, (void *)2);
  pthread_join(threads[0], NULL);
  pthread_join(threads[1], NULL);
}

/* In the inline functions of the headers. */
static void inline_overflow(void) {
  char *bytes = malloc(10);
  memset(bytes, 0, 10);
  gasnet_put(0, segment, bytes, (size_t)(16 + zero));
  free(bytes);
}
static void inline_undefined(void) {
  /* A handle that is no address of a team. */
  gex_RMA_PutBlockingVal((gex_TM_t)(segment + 4 + zero), 0, segment, 1, 8, 0);
}

/* In the library, which is passed memory that is too short, or that another thread uses. */
static void library_overflow(void) {
  size_t *counts = malloc(sizeof *counts);
  char there[64];
  counts[0] = 8;
  /* Two levels of strides, of which one has a count: the library reads counts[1 + zero]. */
  gasnet_puts_bulk(0, segment, counts, there, counts, counts, (size_t)(1 + zero));
  free(counts);
}
static void *put(void *arg) {
  int i;
  for (i = 0; i < 1000; i++) (gasnet_put_val)(0, segment, (gasnet_register_value_t)i, sizeof(long));
  return arg;
}
static void library_race(void) {
  pthread_t thread;
  long seen = 0;
  int i;
  pthread_create(&thread, NULL, put, NULL);
  for (i = 0; i < 1000; i++) seen += *(volatile long *)segment;
  pthread_join(thread, NULL);
  printf("%ld\n", seen);
}
static void none(void) {}

int main(int argc, char **argv) {
  static const struct { const char *name; void (*fault)(void); } all[] = {
    { "heap_overflow", heap_overflow }, { "undefined", undefined }, { "uninitialised", uninitialised }, { "race", race },
    { "inline_overflow", inline_overflow }, { "inline_undefined", inline_undefined }, { "library_overflow", library_overflow },
    { "library_race", library_race }, { "none", none },
  };
  const char *name = argc > 1 ? argv[1] : "none";
  gasnet_seginfo_t info[8];
  unsigned i;
  if (gasnet_init(&argc, &argv) != GASNET_OK || gasnet_attach(NULL, 0, 65536, 0) != GASNET_OK || gasnet_nodes() > 8) return 3;
  gasnet_getSegmentInfo(info, (int)gasnet_nodes());
  segment = info[0].addr;
  for (i = 0; i < sizeof all / sizeof all[0]; i++)
    if (!strcmp(all[i].name, name)) all[i].fault();
  gasnet_exit(0);
  return 0;
}
