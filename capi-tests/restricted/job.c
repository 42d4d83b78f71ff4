/* A job that uses what the kernel may refuse: messages of every category, puts and gets of several sizes, atomics of the memory of others,
   barriers, collectives, threads that sleep until another rank wakes them. Each rank then prints `ok RANK`. The first argument `killed`:
   the last rank kills itself instead while the others wait for it; `holds`: the ranks wait until the job is ended. */
#include "../check.h"
#include <gasnet_coll.h>
#include <signal.h>
#include <time.h>

#define LARGEST KiB(200)
#ifdef GASNET_SEGMENT_EVERYTHING
static char area[2 * LARGEST];
static char *place_of(gasnet_node_t rank) { return (void)rank, area; } /* not position-independent: the same in all ranks */
#else
static char *place_of(gasnet_node_t rank) { return seg(rank); }
#endif

static int hits, replies;
static void on_request(gasnet_token_t t, void *buf, size_t n, gasnet_handlerarg_t seed) {
  CHECK(filled(buf, n, (unsigned)seed));
  CHECK(gasnet_AMReplyShort1(t, 201, seed) == GASNET_OK);
  __atomic_add_fetch(&hits, 1, __ATOMIC_SEQ_CST);
}
static void on_short(gasnet_token_t t, gasnet_handlerarg_t seed) {
  (void)seed;
  CHECK(gasnet_AMReplyShort1(t, 201, seed) == GASNET_OK);
}
static void on_reply(gasnet_token_t t, gasnet_handlerarg_t seed) { (void)t, (void)seed, __atomic_add_fetch(&replies, 1, __ATOMIC_SEQ_CST); }

static void nap(long ms) {
  struct timespec time = { ms / 1000, ms % 1000 * 1000000 };
  nanosleep(&time, NULL);
}

static void messages(void) {
  static char bytes[LARGEST];
  size_t sizes[] = { 0, 8, 500, 4000, 60000 };
  int i, wanted = replies;
  for (i = 0; i < COUNT_OF(sizes); i++) {
    size_t medium = sizes[i] < gasnet_AMMaxMedium() ? sizes[i] : gasnet_AMMaxMedium();
    fill(bytes, sizes[i], (unsigned)i);
    CHECK(gasnet_AMRequestShort1(next_rank(), 202, i) == GASNET_OK);
    CHECK(gasnet_AMRequestMedium1(next_rank(), 200, bytes, medium, i) == GASNET_OK);
    CHECK(gasnet_AMRequestLong1(next_rank(), 200, bytes, sizes[i], place_of(next_rank()) + LARGEST, i) == GASNET_OK);
    wanted += 3;
    GASNET_BLOCKUNTIL(__atomic_load_n(&replies, __ATOMIC_SEQ_CST) == wanted);
    barrier();
  }
}

static void transfers(void) {
  static char from[LARGEST], back[LARGEST];
  size_t sizes[] = { 1, 8, 1000, 5000, 70000, LARGEST };
  int i;
  for (i = 0; i < COUNT_OF(sizes); i++) {
    gasnet_handle_t handle;
    fill(from, sizes[i], me + (unsigned)i);
    handle = gasnet_put_nb_bulk(next_rank(), place_of(next_rank()), from, sizes[i]);
    gasnet_wait_syncnb(handle);
    memset(back, 0, sizes[i]);
    gasnet_get_bulk(back, next_rank(), place_of(next_rank()), sizes[i]);
    CHECK(filled(back, sizes[i], me + (unsigned)i));
    barrier();
    CHECK(filled(place_of(me), sizes[i], prev_rank() + (unsigned)i));
    barrier();
    gasnet_memset(next_rank(), place_of(next_rank()), 7, sizes[i]);
    CHECK_EQ(gasnet_get_val(next_rank(), place_of(next_rank()) + sizes[i] - 1, 1), 7);
    barrier();
  }
}

static void collectives(void) {
  static uint64_t mine[500], all[500];
  int i;
  gasnet_coll_init(NULL, 0, NULL, 0, 0);
  for (i = 0; i < 3; i++) {
    fill(mine, sizeof mine, me == (unsigned)i % nranks ? (unsigned)i : 99u);
    gasnet_coll_broadcast(GASNET_TEAM_ALL, all, (unsigned)i % nranks, mine, sizeof mine, GASNET_COLL_LOCAL | GASNET_COLL_IN_ALLSYNC | GASNET_COLL_OUT_ALLSYNC);
    CHECK(filled(all, sizeof all, (unsigned)i));
  }
}

/* A rank that comes late finds the others asleep. */
static void sleepers(void) {
  int round;
  for (round = 0; round < 2; round++) {
    if (me == (unsigned)round % nranks) nap(30);
    barrier();
  }
}

#ifdef GASNET_PAR
static void by_thread(int i) {
  uint64_t value = (uint64_t)i + me;
  gasnet_put_bulk(next_rank(), place_of(next_rank()) + 64 * i, &value, 8);
  CHECK_EQ(gasnet_get_val(next_rank(), place_of(next_rank()) + 64 * i, 8), value);
}
#endif

int main(int argc, char **argv) {
  gasnet_handlerentry_t table[] = { HANDLER(200, on_request), HANDLER(201, on_reply), HANDLER(202, on_short) };
  const char *what = argc > 1 ? argv[1] : "";
  check_start(&argc, &argv, table, COUNT_OF(table), (2 * LARGEST + GASNET_PAGESIZE - 1) / GASNET_PAGESIZE * GASNET_PAGESIZE);
  if (!strcmp(what, "killed")) {
    if (me == nranks - 1) kill(getpid(), SIGKILL);
    for (;;) barrier();
  }
  if (!strcmp(what, "holds")) {
    CHECK(write(1, "here\n", 5) == 5);
    for (;;) {
      gasnet_AMPoll();
      nap(1);
    }
  }
  messages();
  transfers();
  collectives();
  sleepers();
#ifdef GASNET_PAR
  if (!getenv("ONE_THREAD")) on_threads(2, by_thread);
  barrier();
#endif
  return check_end();
}
