/* Active Messages: round trips, floods in one direction, and their handlers. */
#include "perf.h"

#include <stdlib.h>

enum { PING = 200, PONG, CALL, SINK_SHORT, SINK_SHORT16, SINK_MEDIUM, SINK_LONG, PING_MEDIUM, PING_LONG,
       PONG_MEDIUM, PONG_LONG, DONE, CHECK_MEDIUM };

struct lane lanes[MAX_THREADS + 1];
void *answer_source;
static volatile uint64_t checked; /* CHECK_MEDIUM messages that arrived whole or broken */

/* Handlers may also run on a thread of the library's: it counts in the last lane. */
#ifdef GASNET_SEQ
void this_thread_is(int thread) { (void)thread; }
#else
__thread int my_lane = MAX_THREADS;
void this_thread_is(int thread) { my_lane = thread; }
#endif

void lanes_clear(void) {
  for (int i = 0; i <= MAX_THREADS; i++) lanes[i].arrived = lanes[i].answered = lanes[i].bad = 0;
  checked = 0;
}

uint64_t lanes_arrived(int threads) {
  uint64_t sum = lanes[0].arrived;
#ifndef GASNET_SEQ
  for (int i = 1; i < threads; i++) sum += lanes[i].arrived;
  sum += lanes[MAX_THREADS].arrived;
#else
  (void)threads;
#endif
  return sum;
}

static void ping(gasnet_token_t token, gasnet_handlerarg_t thread) {
  GASNET_OK_OR_DIE(gasnet_AMReplyShort1(token, PONG, thread));
}
static void pong(gasnet_token_t token, gasnet_handlerarg_t thread) {
  (void)token;
  COUNT(lanes[thread].answered);
}
static void call(gasnet_token_t token, gasnet_handlerarg_t thread) {
  (void)token;
  COUNT(lanes[thread].arrived);
}
static void sink_short(gasnet_token_t token) {
  (void)token;
  arrived();
}
#define A gasnet_handlerarg_t
static void sink_short16(gasnet_token_t token, A a, A b, A c, A d, A e, A f, A g, A h, A i, A j, A k, A l, A m,
                         A n, A o, A q) {
  (void)token;
  if (a + b + c + d + e + f + g + h + i + j + k + l + m + n + o + q != 120) COUNT(lanes[0].bad);
  arrived();
}
#undef A
static void sink_payload(gasnet_token_t token, void *buf, size_t nbytes) {
  (void)token, (void)buf, (void)nbytes;
  arrived();
}
static void ping_medium(gasnet_token_t token, void *buf, size_t nbytes, gasnet_handlerarg_t thread) {
  (void)buf;
  GASNET_OK_OR_DIE(gasnet_AMReplyMedium1(token, PONG_MEDIUM, answer_source, nbytes, thread));
}
static void ping_long(gasnet_token_t token, void *buf, size_t nbytes, gasnet_handlerarg_t thread,
                      gasnet_handlerarg_t high, gasnet_handlerarg_t low) {
  void *back = (void *)(((uintptr_t)(uint32_t)high << 32) | (uint32_t)low);
  (void)buf;
  GASNET_OK_OR_DIE(gasnet_AMReplyLong1(token, PONG_LONG, answer_source, nbytes, back, thread));
}
static void pong_payload(gasnet_token_t token, void *buf, size_t nbytes, gasnet_handlerarg_t thread) {
  (void)token, (void)buf, (void)nbytes;
  COUNT(lanes[thread].answered);
}
static void check_medium(gasnet_token_t token, void *buf, size_t nbytes, gasnet_handlerarg_t expected) {
  const unsigned char *bytes = buf;
  (void)token;
  if (nbytes != (size_t)expected) COUNT(lanes[0].bad);
  for (size_t i = 0; i < nbytes; i++)
    if (bytes[i] != pattern(nbytes, i)) {
      COUNT(lanes[0].bad);
      break;
    }
  COUNT(checked);
}

typedef void (*handler)(void);
gasnet_handlerentry_t am_handlers[] = {
  {PING, (handler)ping}, {PONG, (handler)pong}, {CALL, (handler)call}, {SINK_SHORT, (handler)sink_short},
  {SINK_SHORT16, (handler)sink_short16},
  {SINK_MEDIUM, (handler)sink_payload}, {SINK_LONG, (handler)sink_payload},
  {PING_MEDIUM, (handler)ping_medium}, {PING_LONG, (handler)ping_long}, {PONG_MEDIUM, (handler)pong_payload},
  {PONG_LONG, (handler)pong_payload}, {DONE, (handler)pong}, {CHECK_MEDIUM, (handler)check_medium},
};
const int am_handler_count = sizeof am_handlers / sizeof am_handlers[0];

/* A target polls until its origin's thread has reported that it is done. */
static void serve(const struct part *p) { AWAIT(lanes[p->thread].answered, 1); }
static void dismiss(const struct part *p) {
  if (p->role == ORIGIN) GASNET_OK_OR_DIE(gasnet_AMRequestShort1(p->peer, DONE, p->thread));
}

#define ROUND_TRIPS(p, request) \
  do { \
    struct lane *lane = &lanes[(p)->thread]; \
    if ((p)->role == TARGET) { serve(p); break; } \
    for (uint64_t i = 1; i <= (p)->round->iters; i++) { \
      GASNET_OK_OR_DIE(request); \
      AWAIT(lane->answered, i); \
    } \
    dismiss(p); \
  } while (0)

static void short_reply(const struct part *p) {
  ROUND_TRIPS(p, gasnet_AMRequestShort1(p->peer, PING, p->thread));
}
static void medium_reply(const struct part *p) {
  ROUND_TRIPS(p, gasnet_AMRequestMedium1(p->peer, PING_MEDIUM, p->source, p->round->size, p->thread));
}
static void long_reply(const struct part *p) {
  uintptr_t back = (uintptr_t)p->here;
  ROUND_TRIPS(p, gasnet_AMRequestLong3(p->peer, PING_LONG, p->source, p->round->size, p->there, p->thread,
                                       (gasnet_handlerarg_t)(back >> 32), (gasnet_handlerarg_t)back));
}

static void short_request(const struct part *p) {
  struct lane *lane = &lanes[p->thread];
  for (uint64_t i = 1; i <= p->round->iters; i++) {
    if (p->role == TARGET) AWAIT(lane->arrived, i);
    GASNET_OK_OR_DIE(gasnet_AMRequestShort1(p->peer, CALL, p->thread));
    if (p->role != TARGET) AWAIT(lane->arrived, i);
  }
}

/* Messages go one way; the clock stops when the target reports that all of them were handled. */
#define FLOOD(p, request) \
  do { \
    const struct round *r = (p)->round; \
    if ((p)->role != TARGET) \
      for (uint64_t i = 0; i < r->iters; i++) GASNET_OK_OR_DIE(request); \
    if ((p)->role != ORIGIN) { \
      uint64_t all = r->iters * r->threads; \
      GASNET_BLOCKUNTIL(lanes_arrived((int)r->threads) >= all); \
      GASNET_OK_OR_DIE(gasnet_AMRequestShort1((p)->peer, PONG, (p)->thread)); \
    } \
    if ((p)->role != TARGET) AWAIT(lanes[(p)->thread].answered, 1); \
  } while (0)

static void short_flood(const struct part *p) { FLOOD(p, gasnet_AMRequestShort0(p->peer, SINK_SHORT)); }
static void medium_flood(const struct part *p) {
  FLOOD(p, gasnet_AMRequestMedium0(p->peer, SINK_MEDIUM, p->source, p->round->size));
  if (!p->round->check || p->thread != 0) return;
  if (p->role != TARGET)
    GASNET_OK_OR_DIE(gasnet_AMRequestMedium1(p->peer, CHECK_MEDIUM, p->source, p->round->size,
                                             (gasnet_handlerarg_t)p->round->size));
  if (p->role != ORIGIN) AWAIT(checked, 1);
}
static void long_flood(const struct part *p) {
  FLOOD(p, gasnet_AMRequestLong0(p->peer, SINK_LONG, p->source, p->round->size, p->there));
}
static void long_async_flood(const struct part *p) {
  FLOOD(p, gasnet_AMRequestLongAsync0(p->peer, SINK_LONG, p->source, p->round->size, p->there));
}
static void short16_flood(const struct part *p) {
  FLOOD(p, gasnet_AMRequestShort16(p->peer, SINK_SHORT16, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
}

/* A message goes through all ranks, each passing it on from its own loop. */
static void ring(const struct part *p) {
  gasnet_node_t next = (me + 1) % nodes;
  for (uint64_t i = 1; i <= p->round->iters; i++) {
    if (me != 0) AWAIT(lanes[0].arrived, i);
    GASNET_OK_OR_DIE(gasnet_AMRequestShort1(next, CALL, 0));
    if (me == 0) AWAIT(lanes[0].arrived, i);
  }
}

static int ascending(const void *a, const void *b) {
  float x = *(const float *)a, y = *(const float *)b;
  return (x > y) - (x < y);
}

/* Times each round trip, for both the mean and the median. */
static void short_times(const struct part *p) {
  static float ns[1 << 20];
  struct lane *lane = &lanes[p->thread];
  uint64_t from = now_ns(), before = from, now;
  size_t count = 0;
  if (p->role == TARGET) {
    serve(p);
    return;
  }
  do {
    GASNET_OK_OR_DIE(gasnet_AMRequestShort1(p->peer, PING, p->thread));
    AWAIT(lane->answered, count + 1);
    now = now_ns();
    ns[count++] = (float)(now - before);
    before = now;
  } while (count < sizeof ns / sizeof *ns && (double)(now - from) < 1e9 * repeat_s);
  dismiss(p);
  qsort(ns, count, sizeof *ns, ascending);
  report_value("am-short-times: mean", "ns", (double)(now - from) / (double)count);
  report_value("am-short-times: median", "ns", ns[count / 2]);
  report_value("am-short-times: 99 of 100 within", "ns", ns[count - 1 - count / 100]);
  report_value("am-short-times: longest", "ns", ns[count - 1]);
}

static void poll_nothing(const struct part *p) {
  if (p->role == TARGET) return;
  for (uint64_t i = 0; i < p->round->iters; i++) GASNET_OK_OR_DIE(gasnet_AMPoll());
}

/* Every other rank sends to rank 0: the time is that of one message of each. */
static void fan_in(const struct part *p) {
  const uint64_t iters = p->round->iters;
  if (me == 0) GASNET_BLOCKUNTIL(lanes_arrived(1) >= (nodes - 1) * iters);
  else
    for (uint64_t i = 0; i < iters; i++) GASNET_OK_OR_DIE(gasnet_AMRequestShort0(0, SINK_SHORT));
}

const struct op am_ops[] = {
  {"am-short", "AMShort request and its reply, round trip", 0, short_reply},
  {"am-short-rr", "AMShort request answered by a request, round trip", 0, short_request},
  {"am-short-flood", "AMShort requests without arguments, one way", 0, short_flood},
  {"am-short16-flood", "AMShort requests with 16 arguments, one way", 0, short16_flood},
  {"am-medium", "AMMedium request and a reply of its size, round trip", SIZED | MEDIUM, medium_reply},
  {"am-medium-flood", "AMMedium requests, one way", SIZED | MEDIUM | ONE_WAY, medium_flood},
  {"am-long", "AMLong request and a reply of its size, round trip", SIZED | LONG, long_reply},
  {"am-long-flood", "AMLong requests, one way", SIZED | LONG | PUTS | ONE_WAY, long_flood},
  {"am-longasync-flood", "AMLongAsync requests, one way", SIZED | LONG | PUTS | ONE_WAY, long_async_flood},
  {"am-ring", "AMShort passed on through all ranks, one round", EVERYONE, ring},
  {"am-short-times", "AMShort round trips, each timed: mean, median, longest", TOTAL | UNASKED, short_times},
  {"poll", "gasnet_AMPoll with nothing there", 0, poll_nothing},
  {"am-fan-in", "AMShort of every other rank to rank 0", EVERYONE | UNASKED, fan_in},
  {NULL, NULL, 0, NULL},
};
