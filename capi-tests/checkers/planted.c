/* A program with one fault, which its argument names: the checkers must find each. */
#include <gasnet.h>

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

/* In the library, which is passed memory that is too short. */
static void library_overflow(void) {
  size_t *counts = malloc(sizeof *counts);
  char there[64];
  counts[0] = 8;
  /* Two levels of strides, of which one has a count: the library reads counts[1 + zero]. */
  gasnet_puts_bulk(0, segment, counts, there, counts, counts, (size_t)(1 + zero));
  free(counts);
}
static void none(void) {}

int main(int argc, char **argv) {
  static const struct { const char *name; void (*fault)(void); } all[] = {
    { "heap_overflow", heap_overflow }, { "uninitialised", uninitialised }, { "race", race },
    { "library_overflow", library_overflow }, { "none", none },
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
