/* Teams and collectives over them, barriers. A team's slot may hold several teams, each of some ranks; each runs the step by itself. */
#include "against.h"

static char *scratch_of(int slot, int rank) { return segment_of[rank] + SCRATCH_AT + slot * SCRATCH; }

void run_team(struct step *s) {
  int slot = s->slot, list[MOST_RANKS], m, i;
  gex_TM_t parent = s->team < 0 ? world : team_of[s->team], made = GEX_TM_INVALID;
  const struct team *t;
  if (s->kind == TEAM_END) {
    gex_TM_Destroy(team_of[s->team], NULL, 0);
    team_of[s->team] = GEX_TM_INVALID;
    return;
  }
  t = &program.team[slot];
  m = members(slot, me, list);
  if (t->form == 0) {
    gex_TM_t *to = t->color[me] >= 0 ? &made : NULL;
    size_t size = gex_TM_Split(to, parent, to ? t->color[me] : 0, t->key[me], NULL, 0, GEX_FLAG_TM_SCRATCH_SIZE_RECOMMENDED);
    if (!to || size > SCRATCH) size = SCRATCH;
    gex_TM_Split(to, parent, to ? t->color[me] : 0, t->key[me], scratch_of(slot, me), size, 0);
  } else {
    gex_EP_Location_t where[MOST_RANKS];
    gex_Addr_t at[MOST_RANKS];
    size_t size;
    gex_Flags_t flags = s->ex & 1 ? GEX_FLAG_TM_LOCAL_SCRATCH : GEX_FLAG_TM_GLOBAL_SCRATCH;
    memset(where, 0, sizeof where);
    for (i = 0; i < m; i++) {
      where[i].gex_rank = s->ex & 2 ? (gex_Rank_t)list[i] : (gex_Rank_t)rank_in(s->team, me, list[i]);
      at[s->ex & 1 ? 0 : i] = scratch_of(slot, s->ex & 1 ? me : list[i]);
    }
    if (s->ex & 2) flags |= GEX_FLAG_RANK_IS_JOBRANK;
    size = gex_TM_Create(NULL, m != 0, parent, where, (size_t)m, NULL, 0, GEX_FLAG_TM_SCRATCH_SIZE_RECOMMENDED | (flags & GEX_FLAG_RANK_IS_JOBRANK));
    if (size > SCRATCH) size = SCRATCH;
    gex_TM_Create(&made, m != 0, parent, where, (size_t)m, at, size, flags);
  }
  team_of[slot] = m ? made : GEX_TM_INVALID;
  if (m) say(s, "made", (uint64_t)gex_TM_QueryRank(made) << 32 | gex_TM_QuerySize(made));
}

/* In the order opposite to that of their making, on every rank. */
void end_teams(void) {
  int i;
  end_domains();
  for (i = TEAMS - 1; i >= 0; i--) {
    if (team_of[i] != GEX_TM_INVALID) gex_TM_Destroy(team_of[i], NULL, 0);
    team_of[i] = GEX_TM_INVALID;
  }
}

/* --- collectives ----------------------------------------------------------------------------------------------- */

#define HANDLE(s) handle[me * ACTORS][(s)->slot]

/* User's operation: adds bytes. */
static void add_bytes(const void *a, void *b, size_t count, const void *cdata) {
  const unsigned char *from = (const unsigned char *)a;
  unsigned char *to = (unsigned char *)b;
  size_t i, n = count * *(const size_t *)cdata;
  for (i = 0; i < n; i++) to[i] = (unsigned char)(to[i] + from[i]);
}
static size_t user_sizes[41];

static void done(struct step *s, gex_Event_t event) {
  if (s->how == NB) HANDLE(s) = event;
  else if (s->ex % 2 || waits) gex_Event_Wait(event);
  else while (gex_Event_Test(event) != GASNET_OK) gasnet_AMPoll();
}

static void reduce(struct step *s, gex_TM_t tm, char *src, char *dst) {
  static const gex_DT_t types[] = {GEX_DT_I32, GEX_DT_U32, GEX_DT_I64, GEX_DT_U64, GEX_DT_FLT, GEX_DT_DBL, GEX_DT_USER};
  static const size_t sizes[] = {4, 4, 8, 8, 4, 8};
  static const gex_OP_t ops[] = {GEX_OP_ADD, GEX_OP_MIN, GEX_OP_MAX, GEX_OP_MULT, GEX_OP_AND, GEX_OP_OR, GEX_OP_XOR};
  int kind = (int)(mix(s->value, 1) % 7), to_one = s->flavour & 1, in_place = s->flavour >> 1 & 1, root = s->peer % (int)gex_TM_QuerySize(tm);
  size_t size = kind == 6 ? 1 + mix(s->value, 2) % 40 : sizes[kind], n = s->answer.n / size, i;
  gex_OP_t op = kind == 6 ? GEX_OP_USER : ops[mix(s->value, 3) % (kind < 4 ? 7 : 4)];
  gex_Event_t event;
  if (n == 0) n = 1, size = kind == 6 ? 1 : size;
  if (kind == 6) user_sizes[size] = size;
  fill_bytes(src, n * size, mix(s->value, (uint64_t)me));
  if (kind == 4) for (i = 0; i < n; i++) { float f = (float)(1 + mix(s->value, i + (uint64_t)me) % 8); memcpy(src + 4 * i, &f, 4); }
  if (kind == 5) for (i = 0; i < n; i++) { double f = (double)(1 + mix(s->value, i + (uint64_t)me) % 8); memcpy(src + 8 * i, &f, 8); }
  if (in_place && (!to_one || (int)gex_TM_QueryRank(tm) == root)) {
    memcpy(dst, src, n * size);
    src = dst;
  }
  if (to_one) event = gex_Coll_ReduceToOneNB(tm, (gex_Rank_t)root, (int)gex_TM_QueryRank(tm) == root ? dst : NULL, src, types[kind], size, n, op,
                                             kind == 6 ? add_bytes : NULL, kind == 6 ? &user_sizes[size] : NULL, 0);
  else event = gex_Coll_ReduceToAllNB(tm, dst, src, types[kind], size, n, op, kind == 6 ? add_bytes : NULL, kind == 6 ? &user_sizes[size] : NULL, 0);
  done(s, event);
}

static void legacy(struct step *s, gex_TM_t tm, char *src, char *dst) {
  static const int ins[] = {GASNET_COLL_IN_MYSYNC, GASNET_COLL_IN_ALLSYNC}, outs[] = {GASNET_COLL_OUT_MYSYNC, GASNET_COLL_OUT_ALLSYNC};
  int flags = GASNET_COLL_LOCAL | ins[s->flavour & 1] | outs[s->flavour >> 1 & 1], is_root, nb = s->flavour >> 2 & 1;
  size_t n = s->answer.n, size = gex_TM_QuerySize(tm);
  gasnet_image_t root = (gasnet_image_t)((size_t)s->peer % size);
  gasnet_coll_handle_t h;
  is_root = gex_TM_QueryRank(tm) == root;
  fill_bytes(src, n * size, mix(s->value, (uint64_t)me));
  if (n == 0) return;
#define RUN(name, ...)                                              \
  do {                                                              \
    if (!nb) gasnet_coll_##name(GASNET_TEAM_ALL, __VA_ARGS__, n, flags);         \
    else {                                                          \
      h = gasnet_coll_##name##_nb(GASNET_TEAM_ALL, __VA_ARGS__, n, flags);       \
      if (s->value % 2 || waits) gasnet_coll_wait_sync(h);                   \
      else while (gasnet_coll_try_sync(h) != GASNET_OK) gasnet_AMPoll(); \
    }                                                               \
  } while (0)
  switch (s->flavour >> 3 & 7) {
    case 0: RUN(broadcast, dst, root, is_root ? src : NULL); break;
    case 1: RUN(scatter, dst, root, is_root ? src : NULL); break;
    case 2: RUN(gather, root, is_root ? dst : NULL, src); break;
    case 3: case 4: RUN(gather_all, dst, src); break;
    default: RUN(exchange, dst, src);
  }
#undef RUN
}

void run_collective(struct step *s) {
  gex_TM_t tm = s->team < 0 ? world : team_of[s->team];
  struct range a = s->near, b = s->far;
  char *src, *dst;
  gex_Rank_t root = (gex_Rank_t)s->peer % gex_TM_QuerySize(tm);
  a.place = s->nargs & 1 ? me : program.nranks + me * ACTORS, b.place = s->nargs & 2 ? me : program.nranks + me * ACTORS;
  src = address(a, 0), dst = address(b, 0);
  switch (s->kind) {
    case TEAM_BARRIER: done(s, gex_Coll_BarrierNB(tm, 0)); break;
    case REDUCE: reduce(s, tm, src, dst); break;
    case LEGACY_COLLECTIVE: legacy(s, tm, src, dst); break;
    default: /* at the root the two may be the same */
      if (gex_TM_QueryRank(tm) == root) fill_bytes(s->flavour % 4 == 0 ? dst : src, s->answer.n, mix(s->value, 3));
      done(s, gex_Coll_BroadcastNB(tm, root, dst, gex_TM_QueryRank(tm) != root ? NULL : s->flavour % 4 == 0 ? dst : src, s->answer.n, 0));
  }
}

/* --- barriers -------------------------------------------------------------------------------------------------- */

static void pattern(const struct step *s, int *id, int *flags) {
  *id = (int)(s->value >> 12 & 0xffff) - 0x8000, *flags = 0;
  switch (s->flavour) {
    case 0: break;                                                                       /* named */
    case 1: *flags = GASNET_BARRIERFLAG_ANONYMOUS, *id = me; break;                      /* anonymous */
    case 2: if (me != s->peer) *flags = GASNET_BARRIERFLAG_ANONYMOUS, *id = 3; break;    /* one name */
    case 3: if (me == s->peer) *id += 1; break;                                          /* one differs */
    case 4: if (me == s->peer) *flags = GASNET_BARRIERFLAG_MISMATCH; break;
    default: *flags = GASNET_BARRIERFLAG_UNNAMED; break;
  }
}
static void outcome(const struct step *s, int rc) {
  int id = 0;
  say(s, code_name(rc), 0);
  if (s->flavour == 0 || s->flavour == 2) say(s, "result", (uint64_t)(gasnet_barrier_result(&id) == 0) << 32 | (uint32_t)id);
}
static int finish(const struct step *of, int try) {
  int id, flags, rc;
  pattern(of, &id, &flags);
  if (!try) return gasnet_barrier_wait(id, flags);
  while ((rc = gasnet_barrier_try(id, flags)) == GASNET_ERR_NOT_READY) gasnet_AMPoll();
  return rc;
}

void run_barrier(struct step *s) {
  int id, flags;
  pattern(s->kind == BARRIER_WAIT ? &program.step[s->before] : s, &id, &flags);
  switch (s->kind) {
    case BARRIER:
      if (s->ex == 0) outcome(s, gasnet_barrier(id, flags));
      else {
        gasnet_barrier_notify(id, flags);
        outcome(s, finish(s, s->ex & 1));
      }
      break;
    case SPLIT_BARRIER: gasnet_barrier_notify(id, flags); break;
    default: outcome(&program.step[s->before], finish(&program.step[s->before], s->ex));
  }
}
