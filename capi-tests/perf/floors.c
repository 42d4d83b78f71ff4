/* The times of this machine without any GASNet: the floors that bench compares gasnet_perf's figures with.

   usage: floors [-m MS] [-r REPEATS] NAME [SIZE or PROCESSES]       one line: name, size, ns median, min, max
          floors [-g SEGMENT] [-w WINDOW] udp-... SIZE              streams with segmentation offload; another window
          floors NAME SIZE PROCESSES                                reductions
          floors hello PROCESSES                                    starts, maps, ends; for timing from outside
          floors execs PROCESSES                                    starts programs that end at once
          floors run REPEATS COMMAND ARGUMENTS...                   ms median, min, max; processor ms; exit code

   Processes share anonymous memory mapped before the fork. The parent keeps the time; the other processes
   live through all repeats and take the number of iterations from shared memory. */
#define _GNU_SOURCE 1
#include "floors.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SEGMENT ((size_t)64 << 20)

struct shared *shared;
char *private_bytes;
size_t size = 8;
int processes = 2;

static double now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}
static void pause_cpu(void) { __builtin_ia32_pause(); }
static void fence(void) { __asm__ volatile("" ::: "memory"); }

/* Ping-pong through one word: a process that reads its own turn writes the other process's. */
static void pingpong(int rank, uint64_t from, uint64_t n) {
  for (uint64_t i = from; i < from + n; i++) {
    if (rank == 0) shared->word = 2 * i + 1;
    while (shared->word != 2 * i + 1 + (rank == 0)) {}
    if (rank == 1) shared->word = 2 * i + 2;
  }
}
static void pingpong_pause(int rank, uint64_t from, uint64_t n) {
  for (uint64_t i = from; i < from + n; i++) {
    if (rank == 0) shared->word = 2 * i + 1;
    while (shared->word != 2 * i + 1 + (rank == 0)) pause_cpu();
    if (rank == 1) shared->word = 2 * i + 2;
  }
}
/* Two words on lines of their own, each written by one side. */
static void pingpong_lines(int rank, uint64_t from, uint64_t n) {
  for (uint64_t i = from + 1; i <= from + n; i++) {
    if (rank == 0) shared->word = i;
    while ((rank == 0 ? shared->answer : shared->word) != i) {}
    if (rank == 1) shared->answer = i;
  }
}

/* A single-producer single-consumer ring; the consumer seldom publishes its position. */
static void ring(int rank, uint64_t from, uint64_t n) {
  uint64_t known = from, sum = 0;
  for (uint64_t i = from; i < from + n; i++) {
    struct slot *slot = &shared->ring[i % RING_SLOTS];
    if (rank == 0) {
      while (i - known >= RING_SLOTS) known = shared->taken;
      slot->words[0] = i;
      slot->words[1] = ~i;
      slot->turn = i + 1;
    } else {
      while (slot->turn != i + 1) {}
      sum += slot->words[0];
      if ((i + 1) % (RING_SLOTS / 8) == 0 || i + 1 == from + n) shared->taken = i + 1;
    }
  }
  if (rank == 0)
    while (shared->taken != from + n) {}
  shared->ring[0].words[1 + rank] = sum;
}

/* Bytes through buffers in shared memory; `out`: the receiver copies them out; otherwise it only polls for their arrival. */
static void copy_through(int rank, uint64_t from, uint64_t n, int out) {
  size_t stride = (size + 4095) / 4096 * 4096, slots = stride > 32768 ? 8 : 32;
  uint64_t known = from;
  for (uint64_t i = from; i < from + n; i++) {
    char *bytes = shared->bytes + i % slots * stride;
    struct slot *slot = &shared->ring[i % slots];
    if (rank == 0) {
      while (i - known >= slots) known = shared->taken;
      memcpy(bytes, private_bytes, size);
      fence();
      slot->turn = i + 1;
    } else {
      while (slot->turn != i + 1) {}
      if (out) memcpy(private_bytes + size, bytes, size);
      fence();
      if ((i + 1) % (slots / 4) == 0 || i + 1 == from + n) shared->taken = i + 1;
    }
  }
  if (rank == 0)
    while (shared->taken != from + n) {}
}
static void copy_in(int rank, uint64_t from, uint64_t n) { copy_through(rank, from, n, 0); }
static void copy_in_out(int rank, uint64_t from, uint64_t n) { copy_through(rank, from, n, 1); }

/* One process and memory that it shares with another. */
static void store(int rank, uint64_t from, uint64_t n) {
  volatile uint64_t *there = (void *)shared->bytes, *source = (void *)private_bytes;
  (void)from;
  if (rank == 0)
    for (uint64_t i = 0; i < n; i++) *there = *source;
}
static void load(int rank, uint64_t from, uint64_t n) {
  volatile uint64_t *there = (void *)shared->bytes, *sink = (void *)private_bytes;
  (void)from;
  if (rank == 0)
    for (uint64_t i = 0; i < n; i++) *sink = *there;
}
static void memcpy_to(int rank, uint64_t from, uint64_t n) {
  (void)from;
  if (rank == 0)
    for (uint64_t i = 0; i < n; i++) {
      memcpy(shared->bytes, private_bytes, size);
      fence();
    }
}
static void memcpy_from(int rank, uint64_t from, uint64_t n) {
  (void)from;
  if (rank == 0)
    for (uint64_t i = 0; i < n; i++) {
      memcpy(private_bytes, shared->bytes, size);
      fence();
    }
}
static void memset_to(int rank, uint64_t from, uint64_t n) {
  (void)from;
  if (rank == 0)
    for (uint64_t i = 0; i < n; i++) {
      memset(shared->bytes, 0x5a, size);
      fence();
    }
}

/* One word passed through all processes, to that at `place` after `place` others; one iteration is one round. */
static void pass_word(int rank, uint64_t place, uint64_t from, uint64_t n) {
  for (uint64_t i = from; i < from + n; i++) {
    uint64_t mine = i * (uint64_t)processes + place;
    if (rank == 0 && i == from) shared->word = i * (uint64_t)processes;
    while (shared->word != mine) sched_yield();
    shared->word = mine + 1;
  }
  if (rank == 0)
    while (shared->word < (from + n) * (uint64_t)processes) sched_yield();
}

static void word_round(int rank, uint64_t from, uint64_t n) { pass_word(rank, (uint64_t)rank, from, n); }

/* Not in the order in which the processes were made, and in which they may take their turns. The number of processes has no factor 37. */
static void shuffled_round(int rank, uint64_t from, uint64_t n) {
  pass_word(rank, (uint64_t)rank * 37 % (uint64_t)processes, from, n);
}

/* Every process gets a core once: no barrier of this many processes takes less. */
static void turn_each(int rank, uint64_t from, uint64_t n) {
  (void)rank, (void)from;
  for (uint64_t i = 0; i < n; i++) sched_yield();
}

static const struct floor floors[] = {
  {"pingpong", pingpong, PAIR}, {"pingpong-pause", pingpong_pause, PAIR}, {"pingpong-lines", pingpong_lines, PAIR},
  {"ring", ring, PAIR}, {"copy-in", copy_in, BYTES}, {"copy-in-out", copy_in_out, BYTES},
  {"store", store, PAIR}, {"load", load, PAIR}, {"memcpy-to", memcpy_to, BYTES},
  {"memcpy-from", memcpy_from, BYTES}, {"memset-to", memset_to, BYTES}, {"word-round", word_round, ROUND},
  {"shuffled-round", shuffled_round, ROUND}, {"turn-each", turn_each, ROUND}, {NULL, NULL, PAIR},
};

/* Lets the other processes run `n` iterations with ours. */
static double timed(const struct floor *floor, uint64_t from, uint64_t n) {
  double start;
  while (shared->ready != (uint64_t)processes - 1) sched_yield();
  shared->ready = 0;
  shared->iters = n;
  start = now_ns();
  __atomic_fetch_add(&shared->started, 1, __ATOMIC_SEQ_CST);
  floor->run(0, from, n);
  return now_ns() - start;
}

static void other(const struct floor *floor, int rank) {
  uint64_t from = 0;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (uint64_t seen = 0;;) {
    __atomic_fetch_add(&shared->ready, 1, __ATOMIC_SEQ_CST);
    /* Spins where both have a core; otherwise yields, so that processes without a part in this floor do not disturb it. */
    while (shared->started == seen) processes > 2 ? (void)sched_yield() : pause_cpu();
    seen++;
    floor->run(rank, from, shared->iters);
    from += shared->iters;
  }
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void measure(const struct floor *floor, double time_ns, int repeats) {
  double ns[1000], took, settle = now_ns() + 5e7;
  uint64_t from = 0, n = 16;
  pid_t pids[1100];
  for (int i = 1; i < processes; i++)
    if ((pids[i] = fork()) == 0) other(floor, i);
  for (;;) { /* until the processes have found their cores, and a round is long enough even undisturbed */
    took = 1e18;
    for (int i = 0; i < 3; i++, from += n) {
      double once = timed(floor, from, n);
      if (once < took) took = once;
    }
    if (took < time_ns / 4) n = (uint64_t)((double)n * (took * 10 < time_ns ? 10 : 2));
    else if (now_ns() > settle) break;
  }
  n = (uint64_t)(1 + (double)n * time_ns / took);
  for (int i = 0; i < repeats; i++, from += n) ns[i] = timed(floor, from, n) / (double)n;
  for (int i = 1; i < processes; i++) kill(pids[i], SIGKILL), waitpid(pids[i], NULL, 0);
  qsort(ns, (size_t)repeats, sizeof *ns, ascending);
  printf("%s\t%zu\t%.4f\t%.4f\t%.4f\n", floor->name, floor->takes == ROUND ? (size_t)processes : size,
         (ns[(repeats - 1) / 2] + ns[repeats / 2]) / 2, ns[0], ns[repeats - 1]);
}

/* The least time of a job of this many processes: fork, map every segment, wait. */
static int hello(int count) {
  int fd = memfd_create("floor", MFD_CLOEXEC);
  size_t all = SEGMENT * (size_t)count;
  if (fd < 0 || ftruncate(fd, (off_t)all) != 0) return 1;
  for (int i = 1; i < count; i++)
    if (fork() == 0) {
      char *segments = mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
      _exit(segments == MAP_FAILED);
    }
  if (mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0) == MAP_FAILED) return 1;
  for (int status, worst = 0; ; worst |= status)
    if (wait(&status) < 0) return worst != 0;
}

/* The least time of this many programs: fork, exec, wait. */
static int execs(int count, char *program) {
  for (int i = 0; i < count; i++)
    if (fork() == 0) {
      execl(program, program, "nothing", (char *)NULL);
      _exit(127);
    }
  for (int status, worst = 0;; worst |= status)
    if (wait(&status) < 0) return worst != 0;
}

static int run(int repeats, char **argv) {
  double ms[1000], cpu_ms[1000];
  int status = 0;
  if (repeats < 1 || repeats > 1000) return 2;
  for (int i = 0; i < repeats; i++) {
    struct rusage before, after;
    double start = now_ns();
    pid_t pid;
    getrusage(RUSAGE_CHILDREN, &before);
    if ((pid = vfork()) == 0) {
      execvp(argv[0], argv);
      _exit(127);
    }
    if (waitpid(pid, &status, 0) != pid || status != 0) {
      fprintf(stderr, "floors: `%s` ended with %d\n", argv[0], WIFEXITED(status) ? WEXITSTATUS(status) : -1);
      return 1;
    }
    ms[i] = (now_ns() - start) / 1e6;
    getrusage(RUSAGE_CHILDREN, &after);
    cpu_ms[i] = 1e3 * (double)(after.ru_utime.tv_sec - before.ru_utime.tv_sec + after.ru_stime.tv_sec -
                               before.ru_stime.tv_sec) +
                1e-3 * (double)(after.ru_utime.tv_usec - before.ru_utime.tv_usec + after.ru_stime.tv_usec -
                                before.ru_stime.tv_usec);
  }
  qsort(ms, (size_t)repeats, sizeof *ms, ascending);
  qsort(cpu_ms, (size_t)repeats, sizeof *cpu_ms, ascending);
  printf("run\t%d\t%.4f\t%.4f\t%.4f\t%.4f\n", repeats, ms[repeats / 2], ms[0], ms[repeats - 1], cpu_ms[repeats / 2]);
  return 0;
}

int main(int argc, char **argv) {
  double time_ns = 5e7;
  int repeats = 5, letter;
  while ((letter = getopt(argc, argv, "+m:r:g:w:")) != -1) {
    if (letter == 'm') time_ns = 1e6 * atof(optarg);
    else if (letter == 'r') repeats = atoi(optarg);
    else if (letter == 'g') udp_segment = (size_t)atol(optarg);
    else if (letter == 'w') udp_window = (size_t)atol(optarg);
    else return 2;
  }
  if (udp_segment && (udp_segment < 64 || udp_segment > 65507)) return 2;
  argv += optind;
  if (!argv[0] || repeats < 1 || repeats > 1000) return 2;
  if (!strcmp(argv[0], "hello")) return hello(argv[1] ? atoi(argv[1]) : 2);
  if (!strcmp(argv[0], "nothing")) return 0;
  if (!strcmp(argv[0], "execs")) return execs(argv[1] ? atoi(argv[1]) : 2, "/proc/self/exe");
  if (!strcmp(argv[0], "run")) return argv[1] && argv[2] ? run(atoi(argv[1]), argv + 2) : 2;
  const struct floor *const tables[] = {floors, ex_floors, vis_floors, udp_floors};
  for (int table = 0; table < 4; table++)
    for (const struct floor *floor = tables[table]; floor->name; floor++) {
      if (strcmp(argv[0], floor->name)) continue;
      if (argv[1] && (floor->takes == BYTES || floor->takes == BOTH)) size = (size_t)atol(argv[1]);
      if (argv[1] && floor->takes == ROUND) processes = atoi(argv[1]);
      if (argv[1] && argv[2] && floor->takes == BOTH) processes = atoi(argv[2]);
      if (processes < 1 || processes > 1024 || size < 1 || (floor->takes == BOTH && processes > 16)) return 2;
      shared = mmap(NULL, sizeof *shared + 32 * (size + 4096), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
      if (shared == MAP_FAILED || posix_memalign((void **)&private_bytes, 4096, 2 * size + 8192)) return 1;
      memset(private_bytes, 1, 2 * size + 8192);
      shared->word = UINT64_MAX;
      if (tables[table] == udp_floors && udp_prepare() != 0) return 1;
      measure(floor, time_ns, repeats);
      return 0;
    }
  fprintf(stderr, "floors: no floor `%s`\n", argv[0]);
  return 2;
}
