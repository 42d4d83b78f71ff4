// Ranks that were started separately need not have the same environment, limits and processors: they agree on
// common settings, and the others apply to each rank separately.
// ranks: 4
// modes: par seq parsync
// once: yes
// env: PROGRAM=$exe
// wrap: $exe drive
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "ranks.h"
#include <gasnet_coll.h>
#include <sched.h>
#include <sys/resource.h>

static int by_messages;

/* Room before the stack of a process, so that no two have the same addresses. */
static void own(int rank) {
  char pad[512] = "";
  memset(pad, 'x', (size_t)(100 * rank + 1));
  setenv("SOMETHING_ELSE", pad, 1);
  if (rank == 1) setenv("GASNET_MAX_SEGSIZE", "3MB/P", 1), setenv("GASNET_WAIT_SPIN_US", "0", 1);
  if (rank == 2 && by_messages) setenv("GASNET_RMA", "am", 1);
  if (rank == 2) setenv("GASNET_EXITTIMEOUT", "77", 1), setenv("GASNET_MAX_THREADS", "7", 1);
  if (rank == 3) {
    const struct rlimit space = {(rlim_t)4 << 30, (rlim_t)4 << 30}, files = {64, 64};
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    if (sched_setaffinity(0, sizeof one, &one) || setrlimit(RLIMIT_AS, &space) || setrlimit(RLIMIT_NOFILE, &files)) _exit(94);
  }
}

static void drive(void) {
  char *command[] = {getenv("PROGRAM"), NULL};
  const int n = atoi(getenv("RANKS"));
  int rank;
  adopt();
  for (by_messages = 0; by_messages < 2; by_messages++) {
    struct ranks job = new_job(n);
    for (rank = 0; rank < n; rank++) start_rank(&job, (rank + 1) % n, command, own);
    finish_ranks(&job);
    if (all_ended_with(&job, 0) && !*job.said && lines_of(job.printed) == n) continue;
    wrong_ranks(&job, by_messages ? "settings that differ, by messages" : "settings that differ");
    exit(1);
  }
  all_ok(getenv("RANKS"));
}

static volatile int heard;
static void count(gasnet_token_t token, void *buf, size_t nbytes) {
  (void)token;
  heard += filled(buf, nbytes, 5);
}

int main(int argc, char **argv) {
  gasnet_handlerentry_t table[] = {HANDLER(200, count)};
  static uint64_t all[MOST], own_word;
  unsigned char bytes[3000], *there;
  unsigned rank, round;
  if (argc > 1 && !strcmp(argv[1], "drive")) drive();
  check_init(&argc, &argv);
  CHECK_EQ(gasnet_getMaxLocalSegmentSize(), 3 << 20);
  CHECK_EQ(gasnet_getMaxGlobalSegmentSize(), 3 << 20);
  check_attach(table, 1, 3 << 20);
  gasnet_coll_init(NULL, 0, NULL, 0, 0);
  fill(bytes, sizeof bytes, 5);
  for (rank = 0; rank < nranks; rank++) {
    gasnet_put_bulk(rank, seg(rank) + 4096 * me, bytes, sizeof bytes);
    MUST(gasnet_AMRequestMedium0(rank, 200, bytes, sizeof bytes) == GASNET_OK);
  }
  GASNET_BLOCKUNTIL(heard == (int)nranks);
  barrier();
  for (rank = 0; rank < nranks; rank++) {
    there = (unsigned char *)seg(me) + 4096 * rank;
    CHECK(filled(there, sizeof bytes, 5));
    memset(bytes, 0, sizeof bytes);
    gasnet_get_bulk(bytes, rank, seg(rank) + 4096 * me, sizeof bytes);
    CHECK(filled(bytes, sizeof bytes, 5));
  }
  barrier();
  for (round = 0; round < 20; round++) {
    own_word = 1000u * round + me;
    gasnet_coll_gather_all(GASNET_TEAM_ALL, all, &own_word, sizeof own_word, GASNET_COLL_LOCAL | GASNET_COLL_IN_MYSYNC | GASNET_COLL_OUT_MYSYNC);
    for (rank = 0; rank < nranks; rank++) CHECK_EQ(all[rank], 1000u * round + rank);
    /* Large, and in the segment: receivers read it in place. */
    if (me == round % nranks) memset(seg(me), (int)round, 1 << 20);
    gasnet_coll_broadcast(GASNET_TEAM_ALL, seg(me) + (2 << 20), round % nranks, seg(round % nranks), 1 << 20,
                          GASNET_COLL_LOCAL | GASNET_COLL_IN_ALLSYNC | GASNET_COLL_OUT_ALLSYNC);
    CHECK(all_bytes(seg(me) + (2 << 20), 1 << 20, (int)(round & 255)));
  }
  return check_end();
}
