/* GASNet-EX Active Messages: fixed and negotiated payload. The names end like those of am.c, so that the figures of both
   interfaces can be compared. */
#include "perf.h"

#ifdef HAVE_EX

#define PING 160
enum { E_PING = PING, E_PONG, E_SINK_SHORT, E_SINK_MEDIUM, E_SINK_LONG, E_PING_MEDIUM, E_PONG_MEDIUM, E_PING_LONG,
       E_PONG_LONG, E_DONE, E_CHECK };

static volatile uint64_t checked;

static void ping(gex_Token_t token, gex_AM_Arg_t thread) { gex_AM_ReplyShort1(token, E_PONG, 0, thread); }
static void pong(gex_Token_t token, gex_AM_Arg_t thread) {
  (void)token;
  COUNT(lanes[thread].answered);
}
static void sink_short(gex_Token_t token) {
  (void)token;
  arrived();
}
static void sink_payload(gex_Token_t token, void *bytes, size_t nbytes) {
  (void)token, (void)bytes, (void)nbytes;
  arrived();
}
static void ping_medium(gex_Token_t token, void *bytes, size_t nbytes, gex_AM_Arg_t thread) {
  (void)bytes;
  gex_AM_ReplyMedium1(token, E_PONG_MEDIUM, answer_source, nbytes, GEX_EVENT_NOW, 0, thread);
}
static void ping_long(gex_Token_t token, void *bytes, size_t nbytes, gex_AM_Arg_t thread, gex_AM_Arg_t high, gex_AM_Arg_t low) {
  void *back = (void *)(((uintptr_t)(uint32_t)high << 32) | (uint32_t)low);
  (void)bytes;
  gex_AM_ReplyLong1(token, E_PONG_LONG, answer_source, nbytes, back, GEX_EVENT_NOW, 0, thread);
}
static void pong_payload(gex_Token_t token, void *bytes, size_t nbytes, gex_AM_Arg_t thread) {
  (void)token, (void)bytes, (void)nbytes;
  COUNT(lanes[thread].answered);
}
/* Words that `make` wrote, in order. */
static void check(gex_Token_t token, void *bytes, size_t nbytes, gex_AM_Arg_t expected) {
  const uint64_t *word = bytes;
  (void)token;
  if (nbytes != (size_t)expected) COUNT(lanes[0].bad);
  for (size_t i = 0; i < nbytes / sizeof *word; i++)
    if (word[i] != nbytes + i) COUNT(lanes[0].bad);
  COUNT(checked);
}

#define ENTRY(index, fn, kind, nargs) {index, (gex_AM_Fn_t)(fn), (gex_Flags_t)(kind), nargs, NULL, #fn}
#define REQUEST GEX_FLAG_AM_REQUEST
#define REPLY GEX_FLAG_AM_REPLY
static gex_AM_Entry_t entries[] = {
  ENTRY(E_PING, ping, REQUEST | GEX_FLAG_AM_SHORT, 1), ENTRY(E_PONG, pong, GEX_FLAG_AM_REQREP | GEX_FLAG_AM_SHORT, 1),
  ENTRY(E_SINK_SHORT, sink_short, REQUEST | GEX_FLAG_AM_SHORT, 0), ENTRY(E_DONE, pong, REQUEST | GEX_FLAG_AM_SHORT, 1),
  ENTRY(E_SINK_MEDIUM, sink_payload, REQUEST | GEX_FLAG_AM_MEDIUM, 0),
  ENTRY(E_SINK_LONG, sink_payload, REQUEST | GEX_FLAG_AM_LONG, 0),
  ENTRY(E_PING_MEDIUM, ping_medium, REQUEST | GEX_FLAG_AM_MEDIUM, 1),
  ENTRY(E_PONG_MEDIUM, pong_payload, REPLY | GEX_FLAG_AM_MEDIUM, 1),
  ENTRY(E_PING_LONG, ping_long, REQUEST | GEX_FLAG_AM_LONG, 3), ENTRY(E_PONG_LONG, pong_payload, REPLY | GEX_FLAG_AM_LONG, 1),
  ENTRY(E_CHECK, check, REQUEST | GEX_FLAG_AM_MEDIUM, 1),
};

gex_TM_t team;

void ex_start(void) {
  gex_EP_t endpoint;
  gasnet_QueryGexObjects(NULL, &endpoint, &team, NULL);
  GASNET_OK_OR_DIE(gex_EP_RegisterHandlers(endpoint, entries, sizeof entries / sizeof entries[0]));
  ex_rma_start();
}

#define ROUND_TRIPS(p, request) \
  do { \
    struct lane *lane = &lanes[(p)->thread]; \
    if ((p)->role == TARGET) { AWAIT(lane->answered, 1); break; } \
    for (uint64_t i = 1; i <= (p)->round->iters; i++) { \
      request; \
      AWAIT(lane->answered, i); \
    } \
    if ((p)->role == ORIGIN) gex_AM_RequestShort1(team, (p)->peer, E_DONE, 0, (p)->thread); \
  } while (0)

static void short_reply(const struct part *p) { ROUND_TRIPS(p, gex_AM_RequestShort1(team, p->peer, E_PING, 0, p->thread)); }
static void medium_reply(const struct part *p) {
  ROUND_TRIPS(p, gex_AM_RequestMedium1(team, p->peer, E_PING_MEDIUM, p->source, p->round->size, GEX_EVENT_NOW, 0, p->thread));
}
static void long_reply(const struct part *p) {
  uintptr_t back = (uintptr_t)p->here;
  ROUND_TRIPS(p, gex_AM_RequestLong3(team, p->peer, E_PING_LONG, p->source, p->round->size, p->there, GEX_EVENT_NOW, 0,
                                     p->thread, (gex_AM_Arg_t)(back >> 32), (gex_AM_Arg_t)back));
}

#define FLOOD(p, request) \
  do { \
    const struct round *r = (p)->round; \
    if ((p)->role != TARGET) \
      for (uint64_t i = 0; i < r->iters; i++) { request; } \
    if ((p)->role != ORIGIN) { \
      uint64_t all = r->iters * r->threads; \
      GASNET_BLOCKUNTIL(lanes_arrived((int)r->threads) >= all); \
      gex_AM_RequestShort1(team, (p)->peer, E_PONG, 0, (p)->thread); \
    } \
    if ((p)->role != TARGET) AWAIT(lanes[(p)->thread].answered, 1); \
  } while (0)

static void short_flood(const struct part *p) { FLOOD(p, gex_AM_RequestShort0(team, p->peer, E_SINK_SHORT, 0)); }
static void medium_flood(const struct part *p) {
  FLOOD(p, gex_AM_RequestMedium0(team, p->peer, E_SINK_MEDIUM, p->source, p->round->size, GEX_EVENT_NOW, 0));
}
static void long_flood(const struct part *p) {
  FLOOD(p, gex_AM_RequestLong0(team, p->peer, E_SINK_LONG, p->source, p->round->size, p->there, GEX_EVENT_NOW, 0));
}

/* The client's own work on a message: words written one after the other. The compiler barrier at the end keeps
   stores that the next message overwrites from being omitted. */
static void make(void *at, size_t nbytes) {
  uint64_t *word = at;
  for (size_t i = 0; i < nbytes / sizeof *word; i++) word[i] = nbytes + i;
  __asm__ volatile("" ::"r"(at) : "memory");
}

/* Both write a payload for each message: in a buffer of the client, or in the buffer of Prepare. */
static void made_fixed(const struct part *p, gex_AM_Index_t handler) {
  make(p->source, p->round->size);
  if (handler == E_CHECK)
    gex_AM_RequestMedium1(team, p->peer, E_CHECK, p->source, p->round->size, GEX_EVENT_NOW, 0, (gex_AM_Arg_t)p->round->size);
  else gex_AM_RequestMedium0(team, p->peer, handler, p->source, p->round->size, GEX_EVENT_NOW, 0);
}
static void made_in_place(const struct part *p, gex_AM_Index_t handler) {
  size_t nbytes = p->round->size;
  unsigned nargs = handler == E_CHECK;
  gex_AM_SrcDesc_t message = gex_AM_PrepareRequestMedium(team, p->peer, NULL, nbytes, nbytes, NULL, 0, nargs);
  make(gex_AM_SrcDescAddr(message), nbytes);
  if (handler == E_CHECK) gex_AM_CommitRequestMedium1(message, E_CHECK, nbytes, (gex_AM_Arg_t)nbytes);
  else gex_AM_CommitRequestMedium0(message, handler, nbytes);
}

static void checked_flood(const struct part *p, void (*send)(const struct part *, gex_AM_Index_t)) {
  static uint64_t expected;
  if (!p->round->check || p->thread != 0) return;
  if (p->role != TARGET) send(p, E_CHECK);
  if (p->role != ORIGIN) AWAIT(checked, expected + 1);
  expected++;
}
static void made_fixed_flood(const struct part *p) {
  FLOOD(p, made_fixed(p, E_SINK_MEDIUM));
  checked_flood(p, made_fixed);
}
static void made_in_place_flood(const struct part *p) {
  FLOOD(p, made_in_place(p, E_SINK_MEDIUM));
  checked_flood(p, made_in_place);
}

const struct op ex_am_ops[] = {
  {"ex-short", "gex_AM Short request and its reply, round trip", UNASKED, short_reply},
  {"ex-short-flood", "gex_AM Short requests without arguments, one way", UNASKED, short_flood},
  {"ex-medium", "gex_AM Medium request and a reply of its size, round trip", SIZED | MEDIUM | UNASKED, medium_reply},
  {"ex-medium-flood", "gex_AM Medium requests, one way", SIZED | MEDIUM | ONE_WAY | UNASKED, medium_flood},
  {"ex-long", "gex_AM Long request and a reply of its size, round trip", SIZED | LONG | UNASKED, long_reply},
  {"ex-long-flood", "gex_AM Long requests, one way", SIZED | LONG | PUTS | ONE_WAY | UNASKED, long_flood},
  {"ex-made-flood", "payload written, then gex_AM_RequestMedium, one way", SIZED | MEDIUM | ONE_WAY | UNASKED, made_fixed_flood},
  {"ex-np-flood", "Prepare, payload written in place, Commit, one way", SIZED | MEDIUM | ONE_WAY | UNASKED, made_in_place_flood},
  {NULL, NULL, 0, NULL},
};

#else

const struct op ex_am_ops[] = {{NULL, NULL, 0, NULL}};
void ex_start(void) {}

#endif
