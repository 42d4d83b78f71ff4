/* A plugin of qemu-user that simulates a coherent cache: each process is a core with a cache of its own, without bound. It sees each access
   of the processes to memory that they share. Declared here: the part of QEMU's plugin interface that it uses. */
#define _GNU_SOURCE
#include "lines.h"

#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define API __attribute__((visibility("default")))
struct qemu_plugin_tb;
struct qemu_plugin_insn;
typedef uint32_t qemu_plugin_meminfo_t;
void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id, void (*call)(uint64_t id, struct qemu_plugin_tb *block));
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *block);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *block, size_t index);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn, void (*call)(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t at, void *data),
                                      int flags, int rw, void *data);
unsigned qemu_plugin_mem_size_shift(qemu_plugin_meminfo_t info);
bool qemu_plugin_mem_is_store(qemu_plugin_meminfo_t info);

/* QEMU 9 and later refuse version 1. */
API int qemu_plugin_version = PLUGIN_VERSION;

static struct lines *lines;
static int me = -1;
/* Looks in a row that found all in the cache: a rank that waits lets others run. */
static unsigned hits;
enum { HITS = 400 };

static struct line *line_of(uint64_t key) {
  uint64_t at = key * 0x9E3779B97F4A7C15u;
  for (unsigned tries = 0; tries < LINES; tries++) {
    struct line *line = &lines->line[((at >> 40) + tries) & (LINES - 1)];
    uint64_t seen = __atomic_load_n(&line->key, __ATOMIC_ACQUIRE);
    if (seen == 0 && __atomic_compare_exchange_n(&line->key, &seen, key, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) return line;
    if (seen == key) return line;
  }
  __atomic_store_n(&lines->full, 1, __ATOMIC_RELAXED);
  return NULL;
}

static void touch(uint64_t key, bool store) {
  struct line *line = line_of(key);
  if (!line) return;
  uint32_t step = lines->step;
  struct moves *moves = &lines->moves[step][me];
  uint64_t mine = 1ull << (me % 64);
  while (__atomic_exchange_n(&line->lock, 1, __ATOMIC_ACQUIRE)) sched_yield();
  uint64_t *own = &line->holders[me / 64];
  bool held = *own & mine, others = false, any = false;
  for (int i = 0; i < MOST_RANKS / 64; i++) {
    any |= line->holders[i] != 0;
    others |= (line->holders[i] & ~(i == me / 64 ? mine : 0)) != 0;
  }
  bool moved = !held && any;
  if (moved) {
    ++*(store ? &moves->to_write : &moves->to_read);
    line->moved[step]++;
  } else if (store && others) {
    moves->taken++;
    line->moved[step]++;
  }
  if (store) memset(line->holders, 0, sizeof line->holders);
  *own |= mine;
  __atomic_store_n(&line->lock, 0, __ATOMIC_RELEASE);
  hits = moved || (store && others) ? 0 : hits + 1;
}

static void access_to(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t at, void *data) {
  (void)cpu, (void)data;
  if (!__atomic_load_n(&lines->on, __ATOMIC_ACQUIRE)) return;
  if (me < 0) {
    int pid = getpid();
    for (uint32_t rank = 0; rank < lines->ranks; rank++)
      if (lines->rank[rank].pid == pid) me = (int)rank;
    if (me < 0) return; /* not a rank */
  }
  const struct traced_rank *rank = &lines->rank[me];
  int low = 0, high = rank->ranges;
  while (low < high) {
    int middle = (low + high) / 2;
    if (at >= rank->range[middle].high) low = middle + 1;
    else high = middle;
  }
  if (low == rank->ranges || at < rank->range[low].low) return;
  const struct range *range = &rank->range[low];
  uint64_t first = at - range->low + range->offset, last = first + (1u << qemu_plugin_mem_size_shift(info)) - 1;
  for (uint64_t line = first / 64; line <= last / 64; line++) touch(range->object << 36 | (line + 1), qemu_plugin_mem_is_store(info));
  if (hits > HITS) {
    hits = 0;
    sched_yield();
  }
}

static void translated(uint64_t id, struct qemu_plugin_tb *block) {
  (void)id;
  for (size_t i = 0; i < qemu_plugin_tb_n_insns(block); i++)
    qemu_plugin_register_vcpu_mem_cb(qemu_plugin_tb_get_insn(block, i), access_to, 0, 3, NULL);
}

API int qemu_plugin_install(uint64_t id, const void *info, int argc, char **argv) {
  (void)info;
  const char *file = argc == 1 && !strncmp(argv[0], "lines=", 6) ? argv[0] + 6 : NULL;
  int fd = file ? open(file, O_RDWR) : -1;
  if (fd < 0) {
    fprintf(stderr, "cores: the plugin needs lines=FILE\n");
    return -1;
  }
  lines = mmap(NULL, sizeof *lines, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  if (lines == MAP_FAILED) return -1;
  qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
  return 0;
}
