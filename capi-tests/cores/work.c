/* Operations whose movements of cache lines are counted: work FILE ROUNDS, as a job under qemu-user with the plugin. Rank 0 prints a line for each step. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "lines.h"

#include <fcntl.h>
#include <gasnet.h>
#include <gasnet_coll.h>
#include <gasnet_ratomic.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static struct lines *lines;
static gex_TM_t team;
static gex_AD_t words;
static gex_Rank_t me, size;
static volatile uint32_t arrived, answered;
static char *owners_word;

/* The program believes that each rank has a core of its own: nothing yields or sleeps because cores are shared. */
int sched_getaffinity(pid_t pid, size_t bytes, cpu_set_t *set) {
  (void)pid;
  memset(set, 0, bytes);
  for (int cpu = 0; cpu < 256 && (size_t)cpu < 8 * bytes; cpu++) CPU_SET_S((size_t)cpu, bytes, set);
  return 0;
}

/* A barrier that uses no memory of the library. */
static void together(void) {
  uint32_t turn = __atomic_load_n(&lines->turn, __ATOMIC_ACQUIRE);
  if (__atomic_add_fetch(&lines->here, 1, __ATOMIC_ACQ_REL) == size) {
    lines->here = 0;
    __atomic_add_fetch(&lines->turn, 1, __ATOMIC_ACQ_REL);
  }
  while (__atomic_load_n(&lines->turn, __ATOMIC_ACQUIRE) == turn) sched_yield();
}

/* Tells the plugin which memory of this rank is shared, and how the rank is known. */
static void register_rank(const char *own_file) {
  struct traced_rank *rank = &lines->rank[me];
  rank->pid = getpid();
  FILE *maps = fopen("/proc/self/maps", "r");
  char line[600];
  while (maps && fgets(line, sizeof line, maps) && rank->ranges < MOST_RANGES) {
    unsigned long low, high, offset, inode;
    char rights[8], device[32];
    if (sscanf(line, "%lx-%lx %7s %lx %31s %lu", &low, &high, rights, &offset, device, &inode) != 6) continue;
    if (rights[3] != 's' || strstr(line, own_file)) continue;
    rank->range[rank->ranges++] = (struct range){low, high, inode, offset};
  }
  if (maps) fclose(maps);
  if (rank->ranges == 0 || rank->ranges == MOST_RANGES) {
    fprintf(stderr, "cores: rank %u has %d mappings of shared memory, of which the table holds %d\n", (unsigned)me, (int)rank->ranges, MOST_RANGES);
    exit(1);
  }
}

static void on_request(gex_Token_t token, gex_AM_Arg_t reply) {
  arrived++;
  if (reply) gex_AM_ReplyShort0(token, 201, 0);
}
static void on_reply(gex_Token_t token) {
  (void)token;
  answered++;
}
static void request(gex_Rank_t to, int reply) { gex_AM_RequestShort1(team, to, 200, 0, reply); }
static void poll_until(volatile uint32_t *count, uint32_t value) { GASNET_BLOCKUNTIL(*count >= value); }

/* Each step does its operation once. */
static void round_trip(void) {
  if (me == 0) request(1, 1), poll_until(&answered, answered + 1);
  else if (me == 1) poll_until(&arrived, arrived + 1);
}
static void fan_in(void) {
  if (me == 0) poll_until(&arrived, arrived + size - 1);
  else request(0, 0);
}
static void all_to_all(void) {
  static uint32_t before;
  for (gex_Rank_t i = 1; i < size; i++) request((me + i) % size, 0);
  poll_until(&arrived, before + size - 1);
  before = arrived;
}
static void barrier(void) { gex_Event_Wait(gex_Coll_BarrierNB(team, 0)); }
static void split_barrier(void) {
  gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
  gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS);
}
static void broadcast(void) {
  uint64_t word = me;
  gex_Event_Wait(gex_Coll_BroadcastNB(team, 0, &word, &word, sizeof word, 0));
}
static void reduce_to_all(void) {
  uint64_t word = me, sum;
  gex_Event_Wait(gex_Coll_ReduceToAllNB(team, &sum, &word, GEX_DT_U64, sizeof word, 1, GEX_OP_ADD, NULL, NULL, 0));
}
static void fetch_add(void) {
  uint64_t before;
  gex_Event_Wait(gex_AD_OpNB_U64(words, &before, 0, owners_word, GEX_OP_FADD, 1, 0, 0));
}

static const struct {
  const char *name;
  void (*run)(void);
} steps[] = {
  {"Short request and reply of two ranks", round_trip}, {"a Short of every rank to rank 0", fan_in}, {"a Short of every rank to every other", all_to_all},
  {"gex_Coll_BarrierNB", barrier}, {"gasnet_barrier_notify and wait", split_barrier}, {"broadcast of 8 bytes", broadcast}, {"reduce to all of 8 bytes", reduce_to_all}, {"fetch-add of every rank on one word", fetch_add},
};
enum { ALL = sizeof steps / sizeof *steps };
_Static_assert((int)ALL < (int)STEPS, "lines.h: step 0 and all others");

static void report(unsigned step, unsigned rounds) {
  uint64_t all = 0, most = 0, line = 0;
  for (gex_Rank_t rank = 0; rank < size; rank++) {
    const struct moves *moves = &lines->moves[step][rank];
    uint64_t own = moves->to_read + moves->to_write + moves->taken;
    all += own;
    if (own > most) most = own;
  }
  for (int i = 0; i < LINES; i++)
    if (lines->line[i].moved[step] > line) line = lines->line[i].moved[step];
  printf("%s\t%u\t%.1f\t%.1f\t%.1f\n", steps[step - 1].name, (unsigned)size, (double)all / rounds, (double)most / rounds, (double)line / rounds);
}

int main(int argc, char **argv) {
  if (argc != 3 || atoi(argv[2]) < 1) {
    fprintf(stderr, "usage: work FILE ROUNDS\n");
    return 2;
  }
  const char *file = argv[1];
  unsigned rounds = (unsigned)atoi(argv[2]);
  int fd = open(file, O_RDWR);
  lines = fd < 0 ? MAP_FAILED : mmap(NULL, sizeof *lines, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (lines == MAP_FAILED) {
    perror(file);
    return 2;
  }
  gex_Client_t client;
  gex_EP_t endpoint;
  gex_Segment_t segment;
  gex_AM_Entry_t handlers[] = {
    {200, (void (*)(void))on_request, GEX_FLAG_AM_REQUEST | GEX_FLAG_AM_SHORT, 1, NULL, NULL}, {201, (void (*)(void))on_reply, GEX_FLAG_AM_REPLY | GEX_FLAG_AM_SHORT, 0, NULL, NULL}};
  if (gex_Client_Init(&client, &endpoint, &team, "cores", &argc, &argv, GEX_FLAG_USES_GASNET1) || gex_Segment_Attach(&segment, team, 1 << 16) ||
      gex_EP_RegisterHandlers(endpoint, handlers, 2))
    return 1;
  me = gex_TM_QueryRank(team), size = gex_TM_QuerySize(team);
  if (size < 2 || size > MOST_RANKS) {
    fprintf(stderr, "cores: 2 to %d ranks, not %u\n", MOST_RANKS, (unsigned)size);
    return 2;
  }
  void *owner;
  gex_Event_Wait(gex_EP_QueryBoundSegmentNB(team, 0, &owner, NULL, NULL, 0));
  owners_word = owner;
  gex_AD_Create(&words, team, GEX_DT_U64, GEX_OP_FADD, 0);
  register_rank(file);
  lines->ranks = size;
  together();
  if (me == 0) __atomic_store_n(&lines->on, 1, __ATOMIC_RELEASE);
  for (unsigned step = 1; step <= ALL; step++) {
    /* The first rounds bring the lines to where such operations leave them. */
    for (unsigned round = 0; round < 2 * rounds; round++) {
      together();
      if (me == 0) lines->step = round < rounds ? 0 : step;
      together();
      steps[step - 1].run();
    }
    together();
    if (me == 0) lines->step = 0;
  }
  together();
  if (me == 0) {
    lines->on = 0;
    if (lines->full) fprintf(stderr, "cores: the table of lines is full\n");
    for (unsigned step = 1; step <= ALL; step++) report(step, rounds);
  }
  gasnet_exit(lines->full != 0);
  return 0;
}
