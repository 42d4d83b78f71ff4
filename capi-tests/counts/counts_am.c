/* Active Messages, by both interfaces. */
#include "counts.h"

enum { PING = 200, PONG, SINK, SINK_PAYLOAD, PING_64, PONG_PAYLOAD, E_PING = 150, E_PONG, E_SINK, E_SINK_PAYLOAD };

static volatile int handled; /* messages of this rank so far */
static int expected;

static void sink(gasnet_token_t token) { (void)token, handled++; }
static void pong(gasnet_token_t token, gasnet_handlerarg_t arg) { (void)token, (void)arg, handled++; }
static void ping(gasnet_token_t token, gasnet_handlerarg_t arg) {
  gasnet_AMReplyShort1(token, PONG, arg);
  handled++;
}
static void ex_ping(gasnet_token_t token, gasnet_handlerarg_t arg) {
  gex_AM_ReplyShort1(token, E_PONG, 0, arg);
  handled++;
}
static void sink_payload(gasnet_token_t token, void *bytes, size_t nbytes) { (void)token, (void)bytes, (void)nbytes, handled++; }
static void ping_64(gasnet_token_t token, void *bytes, size_t nbytes) {
  gasnet_AMReplyMedium0(token, PONG_PAYLOAD, bytes, nbytes);
  handled++;
}

typedef void (*handler)(void);
gasnet_handlerentry_t am_handlers[] = {
  {PING, (handler)ping}, {PONG, (handler)pong}, {SINK, (handler)sink}, {SINK_PAYLOAD, (handler)sink_payload},
  {PING_64, (handler)ping_64}, {PONG_PAYLOAD, (handler)sink_payload},
};
const int am_handler_count = sizeof am_handlers / sizeof am_handlers[0];

#define ENTRY(index, fn, kind, nargs) {index, (gex_AM_Fn_t)(fn), (gex_Flags_t)(kind), nargs, NULL, #fn}
void am_start(void) {
  static gex_AM_Entry_t entries[] = {
    ENTRY(E_PING, ex_ping, GEX_FLAG_AM_REQUEST | GEX_FLAG_AM_SHORT, 1), ENTRY(E_PONG, pong, GEX_FLAG_AM_REPLY | GEX_FLAG_AM_SHORT, 1),
    ENTRY(E_SINK, sink, GEX_FLAG_AM_REQUEST | GEX_FLAG_AM_SHORT, 0),
    ENTRY(E_SINK_PAYLOAD, sink_payload, GEX_FLAG_AM_REQUEST | GEX_FLAG_AM_MEDLONG, 0),
  };
  gex_EP_t endpoint;
  gasnet_QueryGexObjects(NULL, &endpoint, NULL, NULL);
  CHECKED(gex_EP_RegisterHandlers(endpoint, entries, sizeof entries / sizeof entries[0]));
}

/* Each step of a receiver handles all messages that the step before has sent. */
void receive(int times) {
  expected += times;
  while (handled < expected) gasnet_AMPoll();
}

#define STEP(name, call) \
  static void name(int times) { \
    for (int i = 0; i < times; i++) CHECKED(call); \
  }
STEP(send_short, gasnet_AMRequestShort0(peer, SINK))
STEP(send_ping, gasnet_AMRequestShort1(peer, PING, i))
STEP(send_16, gasnet_AMRequestShort16(peer, SINK, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))
STEP(send_8, gasnet_AMRequestMedium0(peer, SINK_PAYLOAD, here, 8))
STEP(send_64, gasnet_AMRequestMedium0(peer, SINK_PAYLOAD, here, 64))
STEP(send_256, gasnet_AMRequestMedium0(peer, SINK_PAYLOAD, here, 256))
STEP(send_1024, gasnet_AMRequestMedium0(peer, SINK_PAYLOAD, here, 1024))
STEP(send_ping_64, gasnet_AMRequestMedium0(peer, PING_64, here, 64))
STEP(send_long, gasnet_AMRequestLong0(peer, SINK_PAYLOAD, here, 8, there))
STEP(ex_send_short, gex_AM_RequestShort0(team, peer, E_SINK, 0))
STEP(ex_send_ping, gex_AM_RequestShort1(team, peer, E_PING, 0, i))
STEP(ex_send_empty, gex_AM_RequestMedium0(team, peer, E_SINK_PAYLOAD, here, 0, GEX_EVENT_NOW, 0))
STEP(ex_send_64, gex_AM_RequestMedium0(team, peer, E_SINK_PAYLOAD, here, 64, GEX_EVENT_NOW, 0))
STEP(ex_send_long, gex_AM_RequestLong0(team, peer, E_SINK_PAYLOAD, here, 8, there, GEX_EVENT_NOW, 0))
static void ex_commit(int times, size_t nbytes) {
  for (int i = 0; i < times; i++) {
    gex_AM_SrcDesc_t message = gex_AM_PrepareRequestMedium(team, peer, NULL, nbytes, nbytes, NULL, 0, 0);
    *(volatile char *)gex_AM_SrcDescAddr(message) = 1;
    gex_AM_CommitRequestMedium0(message, E_SINK_PAYLOAD, nbytes);
  }
}
static void ex_commit_64(int times) { ex_commit(times, 64); }
static void ex_commit_1024(int times) { ex_commit(times, 1024); }

/* One message a turn, as in a round trip, or many, as in a flood. */
const struct scenario am_scenarios[] = {
  {1, {{0, "AMShort request, alone", send_ping}, {1, "its poll, handler and reply", receive}, {0, "poll and handler of the reply", receive}}},
  {MANY, {{0, "AMShort request", send_short}, {1, "its poll and handler", receive}}},
  {MANY, {{0, "AMShort request, 16 arguments", send_16}, {1, "its poll and handler, 16 arguments", receive}}},
  {MANY, {{0, "AMMedium request of 8 B", send_8}, {1, "its poll and handler, 8 B", receive}}},
  {MANY, {{0, "AMMedium request of 64 B", send_64}, {1, "its poll and handler, 64 B", receive}}},
  {MANY, {{0, "AMMedium request of 256 B", send_256}, {1, "its poll and handler, 256 B", receive}}},
  {1, {{0, "AMMedium request of 64 B, alone", send_ping_64}, {1, "its poll, handler and reply of 64 B", receive}, {0, "poll and handler of the reply of 64 B", receive}}},
  {MANY, {{0, "AMLong request of 8 B", send_long}, {1, "its poll and handler, Long", receive}}},
  {1, {{0, "gex Short request, alone", ex_send_ping}, {1, "its poll, handler and gex reply", receive}, {0, "poll and handler of the gex reply", receive}}},
  {MANY, {{0, "gex Short request", ex_send_short}, {1, NULL, receive}}},
  {MANY, {{0, "gex Medium request of 0 B", ex_send_empty}, {1, NULL, receive}}},
  {MANY, {{0, "gex Medium request of 64 B", ex_send_64}, {1, NULL, receive}}},
  {MANY, {{0, "gex Long request of 8 B", ex_send_long}, {1, NULL, receive}}},
  {MANY, {{0, "gex negotiated Medium of 64 B", ex_commit_64}, {1, "its poll and handler, negotiated 64 B", receive}}},
  {0},
};

/* More than a network takes at once from a rank that does not poll. */
const struct scenario am_large_scenarios[] = {
  {MANY, {{0, "AMMedium request of 1024 B", send_1024}, {1, "its poll and handler, 1024 B", receive}}},
  {MANY, {{0, "gex negotiated Medium of 1024 B", ex_commit_1024}, {1, NULL, receive}}},
  {0},
};
