/* Messages: every category, 0 to 16 arguments, by the calls of both interfaces, with answers of every category. A request's first argument
 * is its step's number, so that the handler finds the reply in the program; messages without arguments are only counted. */
#include "against.h"

#include <pthread.h>

enum { SHORT_AT = 130, MEDIUM_AT = SHORT_AT + 17, LONG_AT = MEDIUM_AT + 17, IS_REPLY = 1 << 30 };
static char pattern[(64 << 10) + 64];
static uint64_t handled, sum, expected;
static gasnet_hsl_t lock = GASNET_HSL_INITIALIZER;
static char replied[MOST_STEPS];

#define ARGS_0
#define ARGS_1 , a[0]
#define ARGS_2 ARGS_1, a[1]
#define ARGS_3 ARGS_2, a[2]
#define ARGS_4 ARGS_3, a[3]
#define ARGS_5 ARGS_4, a[4]
#define ARGS_6 ARGS_5, a[5]
#define ARGS_7 ARGS_6, a[6]
#define ARGS_8 ARGS_7, a[7]
#define ARGS_9 ARGS_8, a[8]
#define ARGS_10 ARGS_9, a[9]
#define ARGS_11 ARGS_10, a[10]
#define ARGS_12 ARGS_11, a[11]
#define ARGS_13 ARGS_12, a[12]
#define ARGS_14 ARGS_13, a[13]
#define ARGS_15 ARGS_14, a[14]
#define ARGS_16 ARGS_15, a[15]
#define EACH(X) X(0, ARGS_0) X(1, ARGS_1) X(2, ARGS_2) X(3, ARGS_3) X(4, ARGS_4) X(5, ARGS_5) X(6, ARGS_6) X(7, ARGS_7) X(8, ARGS_8) \
  X(9, ARGS_9) X(10, ARGS_10) X(11, ARGS_11) X(12, ARGS_12) X(13, ARGS_13) X(14, ARGS_14) X(15, ARGS_15) X(16, ARGS_16)

/* All arguments that a call may need, so that one switch serves each family. */
struct call {
  gasnet_node_t node;
  gasnet_token_t token;
  gex_TM_t tm;
  gex_Rank_t rank;
  gasnet_handler_t h;
  void *src, *dest;
  size_t n;
  gex_Event_t *lc;
  gex_Flags_t flags;
  gex_AM_SrcDesc_t sd;
};
#define FAMILY(name, ...)                                               \
  static int name(const struct call *c, int n, const gasnet_handlerarg_t *a) { \
    (void)a;                                                            \
    switch (n) { EACH(__VA_ARGS__) }                                    \
    return -1;                                                          \
  }
#define X(M, A) case M: return gasnet_AMRequestShort##M(c->node, c->h A);
FAMILY(request_short, X)
#undef X
#define X(M, A) case M: return gasnet_AMRequestMedium##M(c->node, c->h, c->src, c->n A);
FAMILY(request_medium, X)
#undef X
#define X(M, A) case M: return gasnet_AMRequestLong##M(c->node, c->h, c->src, c->n, c->dest A);
FAMILY(request_long, X)
#undef X
#define X(M, A) case M: return gasnet_AMRequestLongAsync##M(c->node, c->h, c->src, c->n, c->dest A);
FAMILY(request_async, X)
#undef X
#define X(M, A) case M: return gasnet_AMReplyShort##M(c->token, c->h A);
FAMILY(reply_short, X)
#undef X
#define X(M, A) case M: return gasnet_AMReplyMedium##M(c->token, c->h, c->src, c->n A);
FAMILY(reply_medium, X)
#undef X
#define X(M, A) case M: return gasnet_AMReplyLong##M(c->token, c->h, c->src, c->n, c->dest A);
FAMILY(reply_long, X)
#undef X
#define X(M, A) case M: return gex_AM_RequestShort##M(c->tm, c->rank, c->h, c->flags A);
FAMILY(ex_short, X)
#undef X
#define X(M, A) case M: return gex_AM_RequestMedium##M(c->tm, c->rank, c->h, c->src, c->n, c->lc, c->flags A);
FAMILY(ex_medium, X)
#undef X
#define X(M, A) case M: return gex_AM_RequestLong##M(c->tm, c->rank, c->h, c->src, c->n, c->dest, c->lc, c->flags A);
FAMILY(ex_long, X)
#undef X
#define X(M, A) case M: return gex_AM_ReplyShort##M(c->token, c->h, 0 A);
FAMILY(ex_reply_short, X)
#undef X
#define X(M, A) case M: return gex_AM_ReplyMedium##M(c->token, c->h, c->src, c->n, GEX_EVENT_NOW, 0 A);
FAMILY(ex_reply_medium, X)
#undef X
#define X(M, A) case M: return gex_AM_ReplyLong##M(c->token, c->h, c->src, c->n, c->dest, GEX_EVENT_NOW, 0 A);
FAMILY(ex_reply_long, X)
#undef X
#define X(M, A) case M: gex_AM_CommitRequestMedium##M(c->sd, c->h, c->n A); return 0;
FAMILY(commit_medium, X)
#undef X
#define X(M, A) case M: gex_AM_CommitRequestLong##M(c->sd, c->h, c->n, c->dest A); return 0;
FAMILY(commit_long, X)
#undef X
#define X(M, A) case M: return gex_AM_CommitReplyMedium##M##_v2(c->sd, c->h, c->n, 0 A); /* without _v2 the headers of 2025.8.0 have a slip */
FAMILY(commit_reply, X)
#undef X

static void make_arguments(const struct step *s, int n, int reply, gasnet_handlerarg_t *a) {
  int i;
  for (i = 1; i < n; i++) a[i] = (gasnet_handlerarg_t)mix(s->value, (uint64_t)(i + 100 * reply));
  if (n) a[0] = s->id | (reply ? IS_REPLY : 0);
}

static void answer(const struct step *s, gasnet_token_t token) {
  gasnet_handlerarg_t a[16];
  struct call c;
  int rc, variant = (int)(s->value >> 20 & 3);
  memset(&c, 0, sizeof c);
  make_arguments(s, s->reply_nargs, 1, a);
  c.token = token, c.src = pattern + s->id % 64, c.n = s->answer.n;
  c.h = (gasnet_handler_t)((s->reply == 1 ? SHORT_AT : s->reply == 2 ? MEDIUM_AT : LONG_AT) + s->reply_nargs);
  if (s->reply == 3) c.dest = address(s->answer, 0);
  if (s->reply == 1) rc = (variant & 1 ? ex_reply_short : reply_short)(&c, s->reply_nargs, a);
  else if (s->reply == 3) rc = (variant & 1 ? ex_reply_long : reply_long)(&c, s->reply_nargs, a);
  else if (variant == 2) {
    c.sd = gex_AM_PrepareReplyMedium(token, NULL, c.n, c.n, NULL, 0, (unsigned)s->reply_nargs);
    memcpy(gex_AM_SrcDescAddr(c.sd), c.src, c.n);
    rc = commit_reply(&c, s->reply_nargs, a);
  } else rc = (variant & 1 ? ex_reply_medium : reply_medium)(&c, s->reply_nargs, a);
  if (rc != GASNET_OK) abort();
}

static void arrived(gasnet_token_t token, int category, void *buf, size_t n, int nargs, const gasnet_handlerarg_t *a) {
  uint64_t value = mix((uint64_t)category * 32 + (uint64_t)nargs, n);
  gasnet_node_t from = 0;
  gex_Token_Info_t info;
  const struct step *s = nargs ? &program.step[a[0] & 0xfffff] : NULL;
  int i;
  if (gasnet_AMGetMsgSource(token, &from) != GASNET_OK) abort();
  gex_Token_Info(token, &info, GEX_TI_SRCRANK | GEX_TI_EP);
  value = mix(value, (uint64_t)from << 1 | (info.gex_srcrank == from && info.gex_ep == endpoint));
  for (i = 0; i < nargs; i++) value = mix(value, (uint32_t)a[i]);
  if (category > 1 && n) value = mix(value, sum_of(buf, n));
  if (category == 3 && n) value = mix(value, (uint64_t)((char *)buf - segment_of[me]));
  if (planted == MESSAGE && s && s->reply) value++;
  if (s && !(a[0] & IS_REPLY) && s->reply) answer(s, token);
  gasnet_hsl_lock(&lock);
  sum += value, handled++;
  if (s && (a[0] & IS_REPLY)) __atomic_store_n(&replied[s->id], 1, __ATOMIC_RELEASE);
  gasnet_hsl_unlock(&lock);
}

#define PARAMS_0
#define PARAMS_1 , gasnet_handlerarg_t a0
#define PARAMS_2 PARAMS_1, gasnet_handlerarg_t a1
#define PARAMS_3 PARAMS_2, gasnet_handlerarg_t a2
#define PARAMS_4 PARAMS_3, gasnet_handlerarg_t a3
#define PARAMS_5 PARAMS_4, gasnet_handlerarg_t a4
#define PARAMS_6 PARAMS_5, gasnet_handlerarg_t a5
#define PARAMS_7 PARAMS_6, gasnet_handlerarg_t a6
#define PARAMS_8 PARAMS_7, gasnet_handlerarg_t a7
#define PARAMS_9 PARAMS_8, gasnet_handlerarg_t a8
#define PARAMS_10 PARAMS_9, gasnet_handlerarg_t a9
#define PARAMS_11 PARAMS_10, gasnet_handlerarg_t a10
#define PARAMS_12 PARAMS_11, gasnet_handlerarg_t a11
#define PARAMS_13 PARAMS_12, gasnet_handlerarg_t a12
#define PARAMS_14 PARAMS_13, gasnet_handlerarg_t a13
#define PARAMS_15 PARAMS_14, gasnet_handlerarg_t a14
#define PARAMS_16 PARAMS_15, gasnet_handlerarg_t a15
#define NAMES_0 0
#define NAMES_1 a0
#define NAMES_2 NAMES_1, a1
#define NAMES_3 NAMES_2, a2
#define NAMES_4 NAMES_3, a3
#define NAMES_5 NAMES_4, a4
#define NAMES_6 NAMES_5, a5
#define NAMES_7 NAMES_6, a6
#define NAMES_8 NAMES_7, a7
#define NAMES_9 NAMES_8, a8
#define NAMES_10 NAMES_9, a9
#define NAMES_11 NAMES_10, a10
#define NAMES_12 NAMES_11, a11
#define NAMES_13 NAMES_12, a12
#define NAMES_14 NAMES_13, a13
#define NAMES_15 NAMES_14, a14
#define NAMES_16 NAMES_15, a15
#define X(M, A)                                                                                  \
  static void short_##M(gasnet_token_t t PARAMS_##M) {                                           \
    gasnet_handlerarg_t a[] = {NAMES_##M};                                                       \
    arrived(t, 1, NULL, 0, M, a);                                                                \
  }                                                                                              \
  static void medium_##M(gasnet_token_t t, void *buf, size_t n PARAMS_##M) {                     \
    gasnet_handlerarg_t a[] = {NAMES_##M};                                                       \
    arrived(t, 2, buf, n, M, a);                                                                 \
  }                                                                                              \
  static void long_##M(gasnet_token_t t, void *buf, size_t n PARAMS_##M) {                       \
    gasnet_handlerarg_t a[] = {NAMES_##M};                                                       \
    arrived(t, 3, buf, n, M, a);                                                                 \
  }
EACH(X)
#undef X

int message_table(gasnet_handlerentry_t *table) {
  int n = 0;
#define X(M, A)                                                                                          \
  table[n].index = SHORT_AT + M, table[n++].fnptr = (void (*)())short_##M;                               \
  table[n].index = MEDIUM_AT + M, table[n++].fnptr = (void (*)())medium_##M;                             \
  table[n].index = LONG_AT + M, table[n++].fnptr = (void (*)())long_##M;
  EACH(X)
#undef X
  fill_bytes(pattern, sizeof pattern, 99);
  return n;
}

void run_message(struct step *s) {
  gasnet_handlerarg_t a[16];
  gex_Event_t event = GEX_EVENT_INVALID;
  struct call c;
  int rc = 0, i, category = s->flavour == 4 ? 3 : s->flavour;
  if (s->kind == MESSAGE_SYNC) {
    for (i = 0; i < s->id; i++) {
      const struct step *m = &program.step[i];
      if (m->alive && m->after == s->id) GASNET_BLOCKUNTIL(__atomic_load_n(&replied[i], __ATOMIC_ACQUIRE));
    }
    return;
  }
  memset(&c, 0, sizeof c);
  c.node = (gasnet_node_t)s->peer, c.tm = team_at(s, &c.rank);
  c.h = (gasnet_handler_t)((category == 1 ? SHORT_AT : category == 2 ? MEDIUM_AT : LONG_AT) + s->nargs);
  c.src = category > 1 ? address(s->near, 0) : NULL, c.n = s->near.n, c.dest = category == 3 ? address(s->far, 0) : NULL;
  c.lc = s->value % 3 == 0 ? GEX_EVENT_NOW : s->value % 3 == 1 ? GEX_EVENT_GROUP : &event;
  c.flags = s->value >> 8 & 1 ? GEX_FLAG_IMMEDIATE : 0;
  make_arguments(s, s->nargs, 0, a);
  switch (s->ex) {
    case 1: {
      int (*call)(const struct call *, int, const gasnet_handlerarg_t *) = category == 1 ? ex_short : category == 2 ? ex_medium : ex_long;
      while (call(&c, s->nargs, a)) gasnet_AMPoll();
      break;
    }
    case 2: case 3: {
      const void *own = s->ex == 3 ? c.src : NULL; /* the library's buffer, or the client's */
      size_t most = c.n + (s->value >> 10 & 1 ? s->value >> 11 & 0xfff : 0);
      gex_Event_t *lc = own ? c.lc : NULL;
      void *dest = s->value >> 9 & 1 ? c.dest : NULL; /* given here or with the commit alone */
      if (own) most = c.n; /* bytes behind the source are not this message's */
      for (i = s->value >> 24 & 1; i >= 0; i--) {
        if (category == 2) c.sd = gex_AM_PrepareRequestMedium(c.tm, c.rank, own, c.n, most, lc, 0, (unsigned)s->nargs);
        else c.sd = gex_AM_PrepareRequestLong(c.tm, c.rank, own, c.n, most, dest, lc, 0, (unsigned)s->nargs);
        if (gex_AM_SrcDescSize(c.sd) < c.n || gex_AM_SrcDescSize(c.sd) > most) say(s, "prepared-size", gex_AM_SrcDescSize(c.sd));
        if (i) category == 2 ? gex_AM_CancelRequestMedium(c.sd, 0) : gex_AM_CancelRequestLong(c.sd, 0); /* then once more */
      }
      if (!own && c.n) memcpy(gex_AM_SrcDescAddr(c.sd), c.src, c.n);
      rc = (category == 2 ? commit_medium : commit_long)(&c, s->nargs, a);
      if (!own) event = GEX_EVENT_INVALID, c.lc = NULL;
      break;
    }
    default: rc = (s->flavour == 1 ? request_short : s->flavour == 2 ? request_medium : s->flavour == 3 ? request_long : request_async)(&c, s->nargs, a);
  }
  if (rc != GASNET_OK) say(s, code_name(rc), (uint64_t)rc);
  if ((s->ex == 1 && category > 1) || s->ex == 3) {
    if (c.lc == GEX_EVENT_GROUP) gex_NBI_Wait(GEX_EC_AM, 0);
    else if (c.lc == &event) gex_Event_Wait(event);
  }
}

void messages_reset(void) {
  memset(replied, 0, sizeof replied);
  sum = handled = expected = 0;
}
static int is_one(const struct step *s, int epoch) { return s->alive && s->epoch == epoch && (s->kind == MESSAGE || s->kind == MESSAGE_0); }
void messages_expected(int epoch) {
  int i;
  for (i = 0; i < program.nsteps; i++) {
    const struct step *s = &program.step[i];
    if (!is_one(s, epoch)) continue;
    expected += s->peer == me;
    expected += s->reply && s->actor / ACTORS == me;
  }
  GASNET_BLOCKUNTIL(__atomic_load_n(&handled, __ATOMIC_ACQUIRE) == expected);
}
void messages_say(int epoch) {
  (void)epoch;
  write_line("messages", handled, sum);
}
