/* Measurements of the whole job: barriers, locks, waiting, memory. */
#include "perf.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

static void barrier_as(const struct part *p, int id, int flags) {
  for (uint64_t i = 0; i < p->round->iters; i++) {
    gasnet_barrier_notify(id, flags);
    GASNET_OK_OR_DIE(gasnet_barrier_wait(id, flags));
  }
}
static void barrier_anonymous(const struct part *p) { barrier_as(p, 0, GASNET_BARRIERFLAG_ANONYMOUS); }
static void barrier_named(const struct part *p) { barrier_as(p, 42, 0); }

static gasnet_hsl_t hsl = GASNET_HSL_INITIALIZER;
static void hsl_lock(const struct part *p) {
  if (p->role == TARGET) return;
  for (uint64_t i = 0; i < p->round->iters; i++) {
    gasnet_hsl_lock(&hsl);
    gasnet_hsl_unlock(&hsl);
    __asm__ volatile("" ::: "memory"); /* in SEQ the loop would otherwise be removed */
  }
}

static double cpu_s(void) {
  struct rusage use;
  getrusage(RUSAGE_SELF, &use);
  return (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
         1e-6 * (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec);
}

/* Every rank waits for a message that does not arrive. */
static void idle(const struct part *p) {
  uint64_t from = now_ns(), until = from + (uint64_t)(idle_s * 1e9);
  double before = cpu_s(), used, worst = 0, sum = 0;
  (void)p;
  GASNET_BLOCKUNTIL(now_ns() >= until);
  used = 100.0 * (cpu_s() - before) / (1e-9 * (double)(now_ns() - from));
  everyone_tells(0, used);
  if (me != 0) return;
  for (gasnet_node_t i = 0; i < nodes; i++) {
    sum += told(i, 0);
    if (told(i, 0) > worst) worst = told(i, 0);
  }
  report_value("idle: cpu of a rank", "%", sum / nodes);
  report_value("idle: cpu of the busiest rank", "%", worst);
}

enum { RSS, PSS, PRIVATE, SHARED, COLUMNS };

/* Of this process, by the name that /proc/self/smaps_rollup gives it. */
double memory_kib(const char *of) {
  char line[256], key[64];
  double value, kib = 0;
  FILE *file = fopen("/proc/self/smaps_rollup", "r");
  if (!file) die("/proc/self/smaps_rollup cannot be read");
  while (fgets(line, sizeof line, file))
    if (sscanf(line, "%63s %lf", key, &value) == 2 && !strcmp(key, of)) kib = value;
  fclose(file);
  return kib;
}

static void memory_now(const char *when) {
  static const char *const keys[COLUMNS] = {"Rss:", "Pss:", "Pss_Anon:", "Pss_Shmem:"};
  static const char *const names[COLUMNS] = {"resident, a rank", "proportional, a rank",
                                             "private, a rank", "shared memory, the job"};
  double kib[COLUMNS];
  char name[128];
  for (int i = 0; i < COLUMNS; i++) kib[i] = memory_kib(keys[i]);
  for (int i = 0; i < COLUMNS; i++) everyone_tells(i, kib[i]);
  if (me != 0) return;
  for (int i = 0; i < COLUMNS; i++) {
    double sum = 0;
    for (gasnet_node_t rank = 0; rank < nodes; rank++) sum += told(rank, i);
    snprintf(name, sizeof name, "memory %s: %s", when, names[i]);
    report_value(name, "KiB", i == SHARED ? sum : sum / nodes);
  }
}

static void memory(const struct part *p) {
  (void)p;
  memory_now("after attach");
  everyone_touches_everyone();
  barrier();
  memory_now("after all-to-all");
}

const struct op job_ops[] = {
  {"barrier", "anonymous barrier of all ranks", EVERYONE, barrier_anonymous},
  {"barrier-named", "named barrier of all ranks", EVERYONE, barrier_named},
  {"hsl", "gasnet_hsl_lock and unlock, all threads the same lock", 0, hsl_lock},
  {"idle", "processor time of ranks that wait (see --idle)", EVERYONE | TOTAL | UNASKED, idle},
  {"memory", "resident and shared memory of the job", EVERYONE | TOTAL | UNASKED, memory},
  {NULL, NULL, 0, NULL},
};
