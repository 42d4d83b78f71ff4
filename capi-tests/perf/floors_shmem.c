/* The floors of conduit shmem: the same transfers by OpenSHMEM itself. */
#include "floors_library.h"
#include <shmem.h>
#include <time.h>

enum { WINDOW = 1000, MOST = 4 << 20, MEMBERS = 64 };
static int me, size, peer;
static char *mine, *theirs;
static volatile long *flag;
static long *sync_words[2];
static double *work;
static int turn;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void pingpong(int n, int bytes) {
  (void)bytes;
  *flag = 0;
  shmem_barrier_all();
  for (long i = 1; i <= n; i++)
    for (int side = 0; side < 2; side++)
      if (side == me) shmem_long_p((long *)flag, i, peer);
      else while (*flag < i) {}
}

static void put_flood(int n, int bytes) {
  for (int i = 0; me == 0 && i < n; i++) shmem_putmem(theirs + (size_t)(i % 64) * (bytes <= 65536 ? bytes : 0), mine, bytes, peer);
  if (me == 0) shmem_quiet();
}

static void put(int n, int bytes) {
  for (int i = 0; me == 0 && i < n; i++) {
    shmem_putmem(theirs, mine, bytes, peer);
    shmem_quiet();
  }
}

static void get(int n, int bytes) {
  for (int i = 0; me == 0 && i < n; i++) shmem_getmem(mine, theirs, bytes, peer);
}

static void puts_and_quiet(int n, int bytes) {
  for (int i = 0; me == 0 && i < n; i++) {
    shmem_putmem(theirs + (size_t)(i % WINDOW) * 8, mine, bytes, peer);
    if (i % WINDOW == WINDOW - 1) shmem_quiet();
  }
  if (me == 0) shmem_quiet();
}

static void barrier(int n, int bytes) {
  (void)bytes;
  for (int i = 0; i < n; i++) shmem_barrier_all();
}

static void broadcast(int n, int bytes) {
  for (int i = 0; i < n; i++) shmem_broadcast64(theirs, mine, (size_t)bytes / 8, 0, 0, 0, size, sync_words[turn ^= 1]);
}

static void reduce(int n, int bytes) {
  for (int i = 0; i < n; i++) {
    shmem_double_sum_to_all((double *)theirs, (double *)mine, bytes / 8, 0, 0, size, work, sync_words[turn ^= 1]);
    shmem_barrier_all();
  }
}

static void gather(int n, int bytes) {
  for (int i = 0; i < n; i++) shmem_fcollect64(theirs, mine, (size_t)bytes / 8, 0, 0, size, sync_words[turn ^= 1]);
}

static const struct library_floor floors[] = {
    {"shmem-pingpong", pingpong}, {"shmem-flood", put_flood}, {"shmem-put", put}, {"shmem-get", get}, {"shmem-1000-puts", puts_and_quiet},
    {"shmem-barrier", barrier}, {"shmem-broadcast", broadcast}, {"shmem-reduce", reduce}, {"shmem-gather", gather},
};

static double seconds(void (*run)(int, int), int n, int bytes) {
  static double *took;
  if (!took) took = shmem_malloc(sizeof *took);
  double start;
  shmem_barrier_all();
  start = now();
  run(n, bytes);
  shmem_barrier_all();
  *took = now() - start;
  shmem_barrier_all();
  double all = 0;
  shmem_getmem(&all, took, sizeof all, 0);
  shmem_barrier_all();
  return all;
}

int main(int argc, char **argv) {
  struct floor_wish wish;
  setenv("OMPI_MCA_memory", "^patcher", 0);
  shmem_init();
  me = shmem_my_pe(), size = shmem_n_pes(), peer = !me;
  if (!floor_wish(&wish, argc, argv, floors, sizeof floors / sizeof *floors, MOST) || size > MEMBERS) shmem_global_exit(2);
  mine = shmem_malloc(MOST), theirs = shmem_malloc(2 * MOST), flag = shmem_malloc(sizeof *flag);
  work = shmem_malloc(MOST);
  memset(mine, 0, MOST), memset(theirs, 0, 2 * MOST);
  for (int i = 0; i < 2; i++) {
    sync_words[i] = shmem_malloc(SHMEM_COLLECT_SYNC_SIZE * sizeof(long));
    for (int k = 0; k < SHMEM_COLLECT_SYNC_SIZE; k++) sync_words[i][k] = SHMEM_SYNC_VALUE;
  }
  shmem_barrier_all();
  measure_floor(&wish, me, seconds);
  shmem_barrier_all();
  shmem_finalize();
  return 0;
}
