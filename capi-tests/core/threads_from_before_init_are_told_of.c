// Forked ranks have only the thread that initialises: other threads that run at that time cause one warning; ended threads
// cause none.
// ranks: 1 2 4
// modes: par
// needs: [ "$CONDUIT" = smp ]
// time: 30
// case running: exit 0; chatter
// case ended: exit 0
#include "check.h"
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#define THREADS 2

static pthread_barrier_t begun;
static int ends[2];

static void *run(void *unused) {
  char byte;
  pthread_barrier_wait(&begun);
  CHECK_EQ(read(ends[0], &byte, 1), 1);
  return unused;
}

static pthread_t threads[THREADS];

static void end_threads(void) {
  int i;
  for (i = 0; i < THREADS; i++) CHECK_EQ(write(ends[1], "", 1), 1);
  for (i = 0; i < THREADS; i++) CHECK(pthread_join(threads[i], NULL) == 0);
}

/* What stderr got while `init` ran in this process and its forks. */
static char said[4096];

static void hear_init(int *argc, char ***argv) {
  char name[] = "said.XXXXXX";
  int before = dup(2), file = mkstemp(name);
  ssize_t len;
  CHECK(before >= 0 && file >= 0);
  unlink(name);
  dup2(file, 2);
  check_init(argc, argv);
  dup2(before, 2);
  close(before);
  len = pread(file, said, sizeof said - 1, 0);
  CHECK(len >= 0);
  close(file);
}

static int count(const char *text, const char *word) {
  int n = 0;
  for (; (text = strstr(text, word)); text++) n++;
  return n;
}

int main(int argc, char **argv) {
  int running = argc > 1 && !strcmp(argv[1], "running"), i;
  CHECK(pipe(ends) == 0);
  CHECK(pthread_barrier_init(&begun, NULL, THREADS + 1) == 0);
  for (i = 0; i < THREADS; i++) CHECK(pthread_create(&threads[i], NULL, run, NULL) == 0);
  pthread_barrier_wait(&begun);
  if (!running) end_threads();
  hear_init(&argc, &argv);
  check_attach(NULL, 0, GASNET_PAGESIZE);
  if (running && gasnet_nodes() > 1) {
    char ranks[64];
    snprintf(ranks, sizeof ranks, gasnet_nodes() == 2 ? "rank 1 " : "ranks 1-%d ", (int)gasnet_nodes() - 1);
    CHECK_EQ(count(said, "WARNING"), 1);
    CHECK(strstr(said, "2 other threads already run") && strstr(said, ranks));
  } else {
    CHECK_EQ(strlen(said), 0);
  }
  if (running && gasnet_mynode() == 0) end_threads();
  barrier();
  return check_end();
}
