// Every kind of traffic among all ranks, from two threads each, for SOAK_SECONDS: every byte is right, every message is handled once, and memory does
// not grow. Ranks stop polling now and then. Not among the tests that `run` chooses by itself: `make soak SECONDS=3600`.
// modes: par
// ranks: 3
// time: $((90 + 2 * ${SOAK_SECONDS:-5}))
#include "check.h"

#include <time.h>

enum { THREADS = 2, MOST_RANKS = 16, BATCHES = 12, MESSAGES = 24 };
#define FIXED KiB(256)   /* read by all ranks, never changed */
#define SLOT KiB(320)    /* of each thread of each rank */
#define LONGS KiB(64)    /* the part of a slot where its Longs go */
#define MEDIUMS 20000
#define GROWTH_KIB (8 << 10)

static gasnet_hsl_t lock = GASNET_HSL_INITIALIZER;
/* By sender: how many requests came, and the sum of their numbers. */
static uint64_t came[MOST_RANKS], came_sum[MOST_RANKS];
static uint64_t sent[MOST_RANKS], sent_sum[MOST_RANKS];
static int pending[THREADS];
static uint64_t messages, bytes_moved, state[THREADS];
static unsigned next_id[THREADS];

static char *slot(gasnet_node_t at, gasnet_node_t of, int thread) {
  return seg(at) + FIXED + 4096 + ((size_t)of * THREADS + (size_t)thread) * SLOT;
}

static void note(gasnet_token_t token, gasnet_handlerarg_t id) {
  gasnet_node_t from;
  CHECK(gasnet_AMGetMsgSource(token, &from) == GASNET_OK);
  gasnet_hsl_lock(&lock);
  came[from]++, came_sum[from] += (unsigned)id;
  gasnet_hsl_unlock(&lock);
}

static void on_short(gasnet_token_t token, gasnet_handlerarg_t id, gasnet_handlerarg_t thread) {
  note(token, id);
  CHECK(gasnet_AMReplyShort2(token, 203, id, thread) == GASNET_OK);
}
static void on_medium(gasnet_token_t token, void *buf, size_t n, gasnet_handlerarg_t id, gasnet_handlerarg_t thread) {
  CHECK(filled(buf, n, (unsigned)id));
  note(token, id);
  if (id % 2) CHECK(gasnet_AMReplyMedium2(token, 204, buf, n, id, thread) == GASNET_OK);
  else CHECK(gasnet_AMReplyShort2(token, 203, id, thread) == GASNET_OK);
}
static void on_long(gasnet_token_t token, void *buf, size_t n, gasnet_handlerarg_t id, gasnet_handlerarg_t thread) {
  gasnet_node_t from = 0;
  CHECK(gasnet_AMGetMsgSource(token, &from) == GASNET_OK);
  CHECK((char *)buf == slot(me, from, thread) && filled(buf, n, (unsigned)id));
  note(token, id);
  /* Back to where it came from, in the sender's own slot. */
  if (id % 2) CHECK(gasnet_AMReplyLong2(token, 205, buf, n, slot(from, from, thread), id, thread) == GASNET_OK);
  else CHECK(gasnet_AMReplyShort2(token, 203, id, thread) == GASNET_OK);
}
static void over(gasnet_handlerarg_t thread) { __atomic_sub_fetch(&pending[thread], 1, __ATOMIC_RELEASE); }
static void on_short_reply(gasnet_token_t token, gasnet_handlerarg_t id, gasnet_handlerarg_t thread) {
  (void)token, (void)id;
  over(thread);
}
static void on_payload_reply(gasnet_token_t token, void *buf, size_t n, gasnet_handlerarg_t id, gasnet_handlerarg_t thread) {
  (void)token;
  CHECK(filled(buf, n, (unsigned)id));
  over(thread);
}

/* Small ones are frequent, long ones seldom. */
static size_t length(int thread, size_t most) {
  switch (rnd(&state[thread]) % 8) {
    case 0: return 0;
    case 1: return rnd(&state[thread]) % (most + 1);
    case 2: return rnd(&state[thread]) % (most / 8 + 1);
    default: return rnd(&state[thread]) % 200;
  }
}

static void send_batch(int thread, char *source) {
  int i, has_long = 0;
  for (i = 0; i < MESSAGES; i++) {
    gasnet_node_t to = (gasnet_node_t)(rnd(&state[thread]) % nranks);
    unsigned id = next_id[thread]++ * THREADS + (unsigned)thread, kind = (unsigned)(rnd(&state[thread]) % 8);
    gasnet_handlerarg_t number = (gasnet_handlerarg_t)(id & 0x7fffffff), t = thread;
    size_t n = length(thread, MEDIUMS);
    if (kind < 2 && has_long) kind = 7;
    gasnet_hsl_lock(&lock);
    sent[to]++, sent_sum[to] += (unsigned)number, messages++, bytes_moved += n;
    gasnet_hsl_unlock(&lock);
    __atomic_add_fetch(&pending[thread], 1, __ATOMIC_RELAXED);
    if (kind < 2) {
      /* The source of a LongAsync stays as it is until the reply: one a batch. */
      has_long = 1;
      n = length(thread, LONGS);
      fill(source, n, (unsigned)number);
      if (kind == 0) MUST(gasnet_AMRequestLong2(to, 202, source, n, slot(to, me, thread), number, t) == GASNET_OK);
      else MUST(gasnet_AMRequestLongAsync2(to, 202, source, n, slot(to, me, thread), number, t) == GASNET_OK);
    } else if (kind < 6) {
      char *medium = source + LONGS;
      fill(medium, n, (unsigned)number);
      MUST(gasnet_AMRequestMedium2(to, 201, medium, n, number, t) == GASNET_OK);
      memset(medium, 0xee, n);
    } else MUST(gasnet_AMRequestShort2(to, 200, number, t) == GASNET_OK);
  }
}

/* Puts and gets while messages are under way: into this thread's slot, and from the bytes that never change. */
static void transfer(int thread, char *source, char *back) {
  gasnet_node_t to = (gasnet_node_t)(rnd(&state[thread]) % nranks);
  size_t n = length(thread, SLOT - LONGS), at = rnd(&state[thread]) % (SLOT - LONGS - n + 1);
  size_t len = length(thread, FIXED), from = rnd(&state[thread]) % (FIXED - len + 1), i;
  char *there = slot(to, me, thread) + LONGS + at;
  unsigned seed = next_id[thread]++;
  gasnet_handle_t handles[2];
  fill(source, n, seed);
  if (rnd(&state[thread]) % 2) {
    handles[0] = gasnet_put_nb_bulk(to, there, source, n);
    handles[1] = gasnet_get_nb_bulk(back, to, seg(to) + from, len);
    gasnet_wait_syncnb_all(handles, 2);
  } else {
    gasnet_put(to, there, source, n);
    gasnet_get(back, to, seg(to) + from, len);
  }
  for (i = 0; i < len; i++) {
    size_t a = from + i;
    MUST((unsigned char)back[i] == (unsigned char)(to * 131u + a * 7u + (a >> 8)));
  }
  memset(source, 0xdd, n);
  gasnet_get_bulk(back, to, there, n);
  MUST(filled(back, n, seed));
  gasnet_hsl_lock(&lock);
  bytes_moved += 2 * n + len;
  gasnet_hsl_unlock(&lock);
}

static void traffic(int thread) {
  char *source = (char *)malloc(SLOT), *put = (char *)malloc(SLOT), *back = (char *)malloc(SLOT);
  int batch, i;
  MUST(source && put && back);
  for (batch = 0; batch < BATCHES; batch++) {
    send_batch(thread, source);
    for (i = 0; i < 4; i++) transfer(thread, put, back);
    GASNET_BLOCKUNTIL(__atomic_load_n(&pending[thread], __ATOMIC_ACQUIRE) == 0);
    if (rnd(&state[thread]) % 16 == 0) usleep(rnd(&state[thread]) % 20000);
  }
  free(source), free(put), free(back);
}

static long resident_kib(void) {
  long total = 0, resident = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  MUST(file && fscanf(file, "%ld %ld", &total, &resident) == 2);
  fclose(file);
  return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* All requests of the round were answered: everybody knows how many came from whom. */
static void compare(void) {
  struct { uint64_t count, sum; } *tally = (void *)(slot(me, nranks, 0)), own;
  gasnet_node_t i;
  for (i = 0; i < nranks; i++) {
    own.count = sent[i], own.sum = sent_sum[i];
    gasnet_put(i, slot(i, nranks, 0) + sizeof own * me, &own, sizeof own);
  }
  barrier();
  for (i = 0; i < nranks; i++) {
    CHECK_EQ(came[i], tally[i].count);
    CHECK_EQ(came_sum[i], tally[i].sum);
  }
}

int main(int argc, char **argv) {
  gasnet_handlerentry_t table[] = {HANDLER(200, on_short), HANDLER(201, on_medium), HANDLER(202, on_long),
                                   HANDLER(203, on_short_reply), HANDLER(204, on_payload_reply), HANDLER(205, on_payload_reply)};
  double start, length_s, elapsed = 0;
  long base = 0, most = 0;
  int round = 0, i;
  uint32_t *stop, stopping = 0;
  check_init(&argc, &argv);
  MUST(nranks <= MOST_RANKS);
  length_s = getenv("SOAK_SECONDS") ? atof(getenv("SOAK_SECONDS")) : 5;
  check_attach(table, COUNT_OF(table), (FIXED + 4096 + ((size_t)nranks * THREADS + 1) * SLOT + 65535) / 65536 * 65536);
  fill(seg(me), FIXED, me);
  stop = (uint32_t *)(void *)(seg(me) + FIXED);
  *stop = 0;
  for (i = 0; i < THREADS; i++) state[i] = 77 + me * THREADS + (unsigned)i;
  barrier();
  start = seconds();
  while (!stopping) {
    on_threads(THREADS, traffic);
    barrier();
    compare();
    elapsed = seconds() - start;
    round++;
    if (me == 0) {
      stopping = elapsed >= length_s && round >= 3;
      for (i = 0; i < (int)nranks; i++) gasnet_put((gasnet_node_t)i, seg((gasnet_node_t)i) + FIXED, &stopping, 4);
    }
    barrier();
    stopping = *stop;
    /* A third of the time to get as large as it gets. */
    if (elapsed < length_s / 3 || round < 3) base = resident_kib();
    else if (resident_kib() > most) most = resident_kib();
  }
  CHECK(most - base < GROWTH_KIB);
  CHECK(filled(seg(me), FIXED, me));
  if (most - base >= GROWTH_KIB) fprintf(stderr, "rank %d grew from %ld to %ld KiB\n", (int)me, base, most);
  printf("rank %d: %d rounds in %.1f s, %llu messages, %llu KiB, resident %ld KiB, then at most %ld KiB\n", (int)me, round, elapsed,
         (unsigned long long)messages, (unsigned long long)(bytes_moved >> 10), base, most);
  fflush(stdout);
  return check_end();
}
