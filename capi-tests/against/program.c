/* Makes the steps of a seed. Every rank makes the same ones. */
#include "against.h"

static uint64_t state;
static uint32_t any(uint32_t below) { return (uint32_t)((state = mix(state, 1)) % below); }
static int one_in(uint32_t n) { return any(n) == 0; }

/* --- memory accessed by each actor in this epoch ---------------------------------------------------------------------------- */

static struct access { struct range r; int actor, owner, writes, group, pending; } accesses[8 * MOST_STEPS];
static int naccesses;
/* What an actor has started and not synchronised; `code` is a slot or one of these. */
enum { CODE_PUT = 100, CODE_GET, CODE_MESSAGE, CODE_OTHER, CODE_COLLECTIVE = 1000 };
static struct waiting { int step, code; } waiting[MOST_RANKS * ACTORS][MOST_STEPS];
static int nwaiting[MOST_RANKS * ACTORS];
static uint32_t used_slots[MOST_RANKS * ACTORS];
static int open_barrier; /* a step, or -1 */

/* A group other than 0 holds atomic operations that give the same result in every order. */
static int is_free(struct range r, int actor, int writes, int group) {
  int i;
  for (i = 0; i < naccesses; i++) {
    const struct access *a = &accesses[i];
    if (a->r.place != r.place || a->r.at >= r.at + r.n || r.at >= a->r.at + a->r.n) continue;
    if (!writes && !a->writes) continue;
    if (group && a->group == group) continue;
    if (a->actor != actor || a->pending) return 0;
  }
  return 1;
}
static void claim(const struct step *s, struct range r, int actor, int writes, int group, int pending) {
  struct access *a;
  if (r.n == 0 || naccesses == (int)(sizeof accesses / sizeof *accesses)) return;
  a = &accesses[naccesses++];
  a->r = r, a->actor = actor, a->owner = s->id, a->writes = writes, a->group = group, a->pending = pending;
}
static void released(int step) {
  int i;
  for (i = 0; i < naccesses; i++)
    if (accesses[i].owner == step || program.step[accesses[i].owner].after == step) accesses[i].pending = 0;
}

static uint32_t size_of(int place) { return place < program.nranks ? DATA : MINE; }
static struct range somewhere(int place, uint32_t n, uint32_t align) {
  struct range r;
  r.place = place, r.n = n;
  r.at = any((size_of(place) - n) / align + 1) * align;
  return r;
}
static uint32_t length(uint32_t most) {
  static const uint32_t edges[] = {0, 1, 7, 8, 9, 63, 64, 65, 127, 128, 255, 256, 512, 1023, 1024, 4095, 4096, 4097, 8192, 16384, 32768, 65000};
  uint32_t n;
  switch (any(4)) {
    case 0: n = edges[any(sizeof edges / sizeof *edges)]; break;
    case 1: n = any(most + 1); break;
    default: n = any(300); break;
  }
  return n > most ? most : n;
}
static int rank_of(int actor) { return actor / ACTORS; }
static int own_place(int actor) { return one_in(3) ? rank_of(actor) : program.nranks + actor; }

/* --- teams ----------------------------------------------------------------------------------------------------- */

static int epoch;
static int ended[TEAMS];
/* Whether thread 0 of each member executed it before the current step of `actor`. */
static int is_made(int step, int actor) { return actor % ACTORS == 0 || program.step[step].epoch < epoch; }
/* A team of the actor's rank and `other`, or -1 for everybody. */
static int some_team(int actor, int other) {
  int t = program.nteams ? (int)any((uint32_t)program.nteams) : -1;
  if (t < 0 || one_in(2) || ended[t] || !is_made(program.team[t].made, actor)) return -1;
  return rank_in(t, rank_of(actor), other) >= 0 ? t : -1;
}
static int some_live_team(void) {
  int t = program.nteams ? (int)any((uint32_t)program.nteams) : -1;
  return t < 0 || ended[t] || one_in(2) ? -1 : t;
}

/* --- steps ----------------------------------------------------------------------------------------------------- */

static struct step *new_step(enum kind kind, int actor) {
  struct step *s = &program.step[program.nsteps];
  memset(s, 0, sizeof *s);
  s->kind = kind, s->epoch = epoch, s->actor = actor;
  s->aux = kind >= REAL_KINDS;
  s->before = s->after = s->team = s->domain = s->slot = -1;
  s->near.place = s->far.place = s->answer.place = -1;
  s->value = state = mix(state, 2);
  return s;
}
static void add(struct step *s) { s->id = program.nsteps++; }
static int is_room(void) { return program.nsteps < MOST_STEPS - 250; }

static void waits_for(struct step *s, int code) {
  struct waiting *w = &waiting[s->actor][nwaiting[s->actor]++];
  w->step = s->id, w->code = code;
}
static int free_slot(int actor) {
  int i;
  for (i = 0; i < SLOTS; i++) if (!(used_slots[actor] >> i & 1)) return i;
  return -1;
}
/* The memory that a started transfer occupies: the near side of a put is free at once if `source_is_free`. */
static void start(struct step *s, int writes_far, int source_is_free, int code_nbi, int region) {
  int pending = s->how != BLOCKING;
  add(s);
  claim(s, s->far, s->actor, writes_far, 0, pending);
  claim(s, s->near, s->actor, !writes_far, 0, pending && !(writes_far && source_is_free));
  if (!pending) return;
  if (region >= 0 && s->how == NBI) s->before = region, s->after = -2; /* the end of the region */
  else if (s->how == NB) {
    s->slot = free_slot(s->actor);
    used_slots[s->actor] |= 1u << s->slot;
    waits_for(s, s->slot);
  } else waits_for(s, code_nbi);
}
static void some_how(struct step *s, int region) {
  s->how = region >= 0 ? NBI : (int)any(3);
  if (s->how == NB && free_slot(s->actor) < 0) s->how = BLOCKING;
}

static int make_transfer(enum kind kind, int actor, int region) {
  struct step *s = new_step(kind, actor);
  int puts = kind != GET && kind != GET_VALUE, t;
  uint32_t n, align = 1;
  s->peer = (int)any((uint32_t)program.nranks);
  s->ex = kind != MEMSET && one_in(2);
  s->flavour = (int)any(4);
  if (kind == VIS) puts = !(s->nargs = (int)any(2)), s->flavour = (int)any(3);
  some_how(s, region);
  if (kind == GET_VALUE) {
    s->how = BLOCKING;
    if (s->flavour > 1) s->flavour = 1;
  }
  if (s->ex) s->team = some_team(actor, s->peer);
  for (t = 0; t < 8; t++) {
    n = length(kind == VIS ? 20000 : 40000);
    if (kind == PUT_VALUE || kind == GET_VALUE) n = 1 + any(8);
    if (!s->ex && (kind == PUT_VALUE || kind == GET_VALUE || ((kind == PUT || kind == GET) && s->flavour < 2))) { /* GASNet-1, not _bulk */
      if (kind == PUT_VALUE || kind == GET_VALUE) n = 1; /* of 1, 2, 4 or 8 bytes */
      if (n > 8) n &= ~7u;
      else n = 1u << any(4);
      align = n < 8 ? n : 8;
    }
    s->far = somewhere(s->peer, n, align);
    s->near = somewhere(own_place(actor), kind == PUT_VALUE || kind == GET_VALUE || kind == MEMSET ? 0 : n, align);
    if (kind == VIS) s->near = somewhere(own_place(actor), length(20000), 1);
    if (s->near.place == s->far.place && s->near.at < s->far.at + s->far.n && s->far.at < s->near.at + s->near.n) continue;
    if (is_free(s->far, actor, puts, 0) && is_free(s->near, actor, !puts, 0)) break;
  }
  if (t == 8) return 0;
  /* EX: 0 NOW, 1 DEFER, 2 an event or GROUP that is waited for at once. GASNet-1: 0, 1 not bulk. */
  start(s, puts, kind == PUT && (s->ex ? s->flavour % 3 != 1 : s->flavour < 2), puts ? CODE_PUT : CODE_GET, region);
  return 1;
}

static void make_message(int actor) {
  struct step *s = new_step(one_in(6) ? MESSAGE_0 : MESSAGE, actor);
  int t, async;
  s->peer = (int)any((uint32_t)program.nranks);
  s->ex = (int)any(5);
  s->flavour = 1 + (int)any(4); /* 4: LongAsync */
  if (s->kind == MESSAGE_0) {
    if (s->flavour == 4) s->flavour = 3;
    if (s->ex == 2 || s->ex == 3) s->ex = 1;
  } else {
    s->nargs = 1 + (int)any(16);
    s->reply = (int)any(4);
    s->reply_nargs = s->reply ? (int)any(17) : 0;
  }
  if (s->flavour == 4) {
    s->ex = 0;
    if (!s->reply) s->reply = 1;
    if (!s->reply_nargs) s->reply_nargs = 1;
  }
  if (s->flavour == 1 && (s->ex == 2 || s->ex == 3)) s->ex = 1;
  async = s->flavour == 4;
  if (s->ex) s->team = s->ex == 4 ? -1 : some_team(actor, s->peer);
  for (t = 0; t < 8; t++) {
    uint32_t n = s->flavour == 1 ? 0 : length(s->flavour == 2 ? program.medium : 40000);
    s->near = somewhere(own_place(actor), n, 1);
    s->far = somewhere(s->peer, s->flavour >= 3 ? n : 0, 1);
    s->answer = somewhere(s->reply == 3 ? rank_of(actor) : program.nranks + actor,
                          s->reply == 2 ? length(program.medium) : s->reply == 3 ? length(40000) : 0, 1);
    if (s->near.place == s->far.place && s->near.at < s->far.at + s->far.n && s->far.at < s->near.at + s->near.n) continue;
    if (s->reply == 3 && s->answer.n) {
      if (s->near.place == s->answer.place && s->near.at < s->answer.at + s->answer.n && s->answer.at < s->near.at + s->near.n) continue;
      if (s->far.place == s->answer.place && s->far.at < s->answer.at + s->answer.n && s->answer.at < s->far.at + s->far.n) continue;
      if (!is_free(s->answer, actor, 1, 0)) continue;
    }
    if (is_free(s->near, actor, 0, 0) && is_free(s->far, actor, 1, 0)) break;
  }
  if (t == 8) return;
  add(s);
  /* Nobody knows when a message without an answer has been handled, before the end of the epoch. */
  claim(s, s->near, actor, 0, 0, async);
  claim(s, s->far, actor, 1, 0, 1);
  if (s->reply == 3) claim(s, s->answer, actor, 1, 0, 1);
  if (s->reply && s->reply_nargs) waits_for(s, CODE_MESSAGE);
}

/* --- synchronisation ------------------------------------------------------------------------------------------- */

static void sync_step(int actor, enum sync_form form, uint32_t slots, int code_a, int code_b) {
  struct step *s = new_step(form == NBI_WAIT && code_a == CODE_MESSAGE ? MESSAGE_SYNC : SYNC, actor);
  struct waiting *list = waiting[actor];
  int i, k = 0;
  s->flavour = (int)form, s->slots = slots, s->ex = one_in(2);
  add(s);
  for (i = 0; i < nwaiting[actor]; i++) {
    int c = list[i].code;
    if ((c < SLOTS && (slots >> c & 1)) || c == code_a || c == code_b || (code_b == CODE_OTHER && (c == CODE_PUT || c == CODE_GET))) {
      program.step[list[i].step].after = s->id;
      released(list[i].step);
      if (c < SLOTS) used_slots[actor] &= ~(1u << c);
    } else list[k++] = list[i];
  }
  nwaiting[actor] = k;
}
static uint32_t own_slots(int actor) { /* without those of collectives, which all members wait for together */
  uint32_t own = 0;
  int i;
  for (i = 0; i < nwaiting[actor]; i++) if (waiting[actor][i].code < SLOTS) own |= 1u << waiting[actor][i].code;
  return own;
}
static void sync_some(int actor, int all) {
  uint32_t own = own_slots(actor), pick = 0;
  int i, code, try = one_in(2);
  if (all || one_in(3)) pick = own;
  else for (i = 0; i < SLOTS; i++) if (one_in(2)) pick |= own & 1u << i;
  if (pick) sync_step(actor, (enum sync_form)((pick & (pick - 1)) ? any(6) : any(2)), pick, -1, -1);
  for (i = 0, code = 0; i < nwaiting[actor]; i++) if (waiting[actor][i].code >= CODE_PUT) code |= 1 << (waiting[actor][i].code - CODE_PUT);
  if ((code & 11) && (all || one_in(2))) {
    if (!all && (code & 1) && one_in(2)) sync_step(actor, (enum sync_form)(NBI_WAIT_PUTS + try), 0, CODE_PUT, -1);
    else if (!all && (code & 2) && one_in(2)) sync_step(actor, (enum sync_form)(NBI_WAIT_GETS + try), 0, CODE_GET, -1);
    else sync_step(actor, (enum sync_form)(NBI_WAIT + try), 0, -1, CODE_OTHER);
  }
  if ((code & 4) && (all || one_in(2))) sync_step(actor, NBI_WAIT, 0, CODE_MESSAGE, -1);
}

static void make_region(int actor) {
  struct step *s;
  int begin, i, n = 1 + (int)any(5), first;
  if (free_slot(actor) < 0) return;
  s = new_step(BEGIN_REGION, actor);
  s->ex = one_in(2);
  add(s);
  begin = s->id, first = program.nsteps;
  for (i = 0; i < n; i++) {
    static const enum kind kinds[] = {PUT, GET, PUT_VALUE, MEMSET, VIS};
    enum kind kind = kinds[any(5)];
    if (program.kinds >> kind & 1) make_transfer(kind, actor, begin);
  }
  s = new_step(END_REGION, actor);
  s->how = NB, s->slot = free_slot(actor), s->ex = one_in(2), s->before = begin;
  add(s);
  used_slots[actor] |= 1u << s->slot;
  waits_for(s, s->slot);
  program.step[begin].after = s->id;
  for (i = first; i < s->id; i++) if (program.step[i].after == -2) program.step[i].after = s->id;
}

/* --- collectives ----------------------------------------------------------------------------------------------- */

static struct { int step; } in_flight[SLOTS];
static void sync_collectives(int all) {
  int i, r;
  for (i = 0; i < SLOTS; i++) {
    struct step *s;
    int owner = in_flight[i].step;
    if (owner < 0 || (!all && one_in(2))) continue;
    s = new_step(SYNC, -1);
    s->team = program.step[owner].team, s->flavour = (int)any(2), s->slots = 1u << i, s->ex = one_in(2);
    add(s);
    program.step[owner].after = s->id;
    released(owner);
    for (r = 0; r < program.nranks; r++) used_slots[r * ACTORS] &= ~(1u << i);
    in_flight[i].step = -1;
  }
}
static void make_collective(enum kind kind) {
  struct step *s = new_step(kind, -1);
  int i, r, t, list[MOST_RANKS];
  uint32_t busy = 0, n;
  for (r = 0; r < program.nranks; r++) busy |= used_slots[r * ACTORS];
  for (i = 0; i < SLOTS && (busy >> i & 1); i++) {}
  s->team = kind == LEGACY_COLLECTIVE ? -1 : some_live_team();
  s->how = i < SLOTS && kind != LEGACY_COLLECTIVE ? NB : BLOCKING;
  s->flavour = (int)any(64), s->peer = (int)any(64), s->ex = (int)any(8);
  for (t = 0; t < 8; t++) {
    int ok = 1;
    n = kind == TEAM_BARRIER ? 0 : length(kind == LEGACY_COLLECTIVE ? 4000 : 20000);
    if (kind == REDUCE && n < 8) n = 8;
    s->near = somewhere(program.nranks, kind == LEGACY_COLLECTIVE ? n * MOST_RANKS : n, 8);
    s->far = somewhere(program.nranks, kind == LEGACY_COLLECTIVE ? n * MOST_RANKS : n, 8);
    s->answer.n = n;
    s->nargs = (int)any(4); /* bit 0: the source is in the segment, 1: the destination */
    if ((s->nargs & 1) == (s->nargs >> 1) && s->near.at < s->far.at + s->far.n && s->far.at < s->near.at + s->near.n) continue;
    for (r = 0; r < program.nranks && ok; r++) {
      struct range a = s->near, b = s->far;
      if (!members(s->team, r, list)) continue;
      a.place = s->nargs & 1 ? r : program.nranks + r * ACTORS, b.place = s->nargs & 2 ? r : program.nranks + r * ACTORS;
      ok = is_free(a, r * ACTORS, 1, 0) && is_free(b, r * ACTORS, 1, 0);
    }
    if (ok) break;
  }
  if (t == 8) return;
  add(s);
  for (r = 0; r < program.nranks; r++) {
    struct range a = s->near, b = s->far;
    if (s->how == NB) used_slots[r * ACTORS] |= 1u << i; /* members or not: the slot is everybody's */
    if (!members(s->team, r, list)) continue;
    a.place = s->nargs & 1 ? r : program.nranks + r * ACTORS, b.place = s->nargs & 2 ? r : program.nranks + r * ACTORS;
    claim(s, a, r * ACTORS, 1, 0, s->how == NB);
    claim(s, b, r * ACTORS, 1, 0, s->how == NB);
  }
  if (s->how == NB) s->slot = i, in_flight[i].step = s->id;
}
static void make_team(void) {
  struct step *s;
  struct team *t;
  int r, colors = 1 + (int)any(3);
  if (program.nteams == TEAMS) return;
  s = new_step(TEAM_NEW, -1);
  t = &program.team[program.nteams];
  t->parent = some_live_team();
  t->form = (int)any(2), t->made = program.nsteps;
  for (r = 0; r < program.nranks; r++) {
    t->color[r] = (int)any((uint32_t)colors) - (one_in(4) ? 1 : 0);
    t->key[r] = (int)any(5) - 2;
  }
  s->team = t->parent, s->slot = program.nteams, s->ex = (int)any(4);
  ended[program.nteams++] = 0;
  add(s);
}
static void end_team(void) {
  struct step *s;
  int t = program.nteams ? (int)any((uint32_t)program.nteams) : -1, d, c;
  if (t < 0 || ended[t]) return;
  for (c = 0; c < program.nteams; c++) if (program.team[c].parent == t && !ended[c]) return;
  for (d = 0; d < program.ndomains; d++) if (program.domain[d].team == t) return;
  sync_collectives(1);
  s = new_step(TEAM_END, -1);
  s->team = t, s->before = program.team[t].made;
  add(s);
  program.step[program.team[t].made].after = s->id;
  ended[t] = 1;
}

/* --- atomics, barriers, the rest ------------------------------------------------------------------------------- */

static void make_domain(void) {
  struct step *s;
  struct domain *d;
  if (program.ndomains == DOMAINS) return;
  s = new_step(DOMAIN_NEW, -1);
  d = &program.domain[program.ndomains];
  d->team = some_live_team(), d->made = program.nsteps, d->type = any(6);
  s->team = d->team, s->domain = program.ndomains++;
  add(s);
}
static void make_atomic(int actor) {
  struct step *s;
  const struct domain *d;
  int group = 0, list[MOST_RANKS], n, width;
  if (!program.ndomains) return;
  s = new_step(ATOMIC, actor);
  s->domain = (int)any((uint32_t)program.ndomains);
  d = &program.domain[s->domain];
  if (!is_made(d->made, actor)) return;
  s->team = d->team, s->before = d->made;
  n = members(d->team, rank_of(actor), list);
  if (!n) return;
  s->peer = list[any((uint32_t)n)];
  s->flavour = (int)any(19); /* see steps_atomic.c; the first 10 do not fetch */
  s->how = 1 + (int)any(2), s->ex = (int)any(2);
  if (s->how == NB && free_slot(actor) < 0) s->how = NBI;
  width = d->type == 0 || d->type == 1 || d->type == 4 ? 4 : 8;
  s->far.place = s->peer, s->far.n = (uint32_t)width;
  s->far.at = DATA + 80 * d->type + 8 * any(10);
  /* Operations that commute may meet: adding ones; MIN; MAX; AND; OR; XOR. */
  if (s->flavour <= 3) group = 1;
  else if (s->flavour <= 8 && s->flavour != 4) group = s->flavour;
  if (group) group += 16 * (s->domain + 1);
  if (s->flavour >= 10) s->near = somewhere(program.nranks + actor, (uint32_t)width, 8);
  if (!is_free(s->far, actor, 1, group) || !is_free(s->near, actor, 1, 0)) return;
  add(s);
  claim(s, s->far, actor, 1, group, !group);
  claim(s, s->near, actor, 1, 0, 1);
  if (s->how == NB) {
    s->slot = free_slot(actor);
    used_slots[actor] |= 1u << s->slot;
    waits_for(s, s->slot);
  } else waits_for(s, CODE_OTHER);
}
static void make_barrier(enum kind kind) {
  struct step *s;
  sync_collectives(1);
  s = new_step(kind, -1);
  s->flavour = (int)any(6), s->peer = (int)any((uint32_t)program.nranks), s->ex = (int)any(4);
  add(s);
  if (kind == SPLIT_BARRIER) open_barrier = s->id;
}
static void close_barrier(void) {
  struct step *s;
  if (open_barrier < 0) return;
  s = new_step(BARRIER_WAIT, -1);
  s->before = open_barrier;
  s->ex = (int)any(2);
  add(s);
  program.step[open_barrier].after = s->id;
  open_barrier = -1;
}
static void make_local(enum kind kind, int actor) {
  struct step *s = new_step(kind, actor);
  s->near = somewhere(own_place(actor), kind == QUERY || kind == POLL ? 0 : length(40000), 1);
  s->peer = (int)any((uint32_t)program.nranks);
  if (kind == QUERY) s->team = some_team(actor, s->peer);
  if (!is_free(s->near, actor, kind == FILL, 0)) return;
  add(s);
  claim(s, s->near, actor, kind == FILL, 0, 0);
}

static void make_any(void) {
  enum kind kind = (enum kind)any(REAL_KINDS);
  int actor = (int)any((uint32_t)(program.nranks * ACTORS));
  if (one_in(4)) sync_some(actor, 0);
  if (one_in(6)) sync_collectives(0);
  if (open_barrier >= 0 && one_in(4)) close_barrier();
  if (open_barrier >= 0 && kind >= BROADCAST && kind <= SPLIT_BARRIER && kind != ATOMIC) return;
  if (open_barrier < 0 && one_in(25)) make_team();
  if (open_barrier < 0 && one_in(25)) make_domain();
  if (!(program.kinds >> kind & 1)) return;
  switch (kind) {
    case PUT: case GET: case PUT_VALUE: case GET_VALUE: case MEMSET: case VIS:
      if (one_in(10)) make_region(actor);
      else make_transfer(kind, actor, -1);
      break;
    case MESSAGE: case MESSAGE_0: make_message(actor); break;
    case BROADCAST: case REDUCE: case TEAM_BARRIER: case LEGACY_COLLECTIVE: make_collective(kind); break;
    case ATOMIC: make_atomic(actor); break;
    case BARRIER: case SPLIT_BARRIER: if (one_in(2)) make_barrier(kind); break;
    default: make_local(kind, actor);
  }
}

void make_program(uint64_t seed, int nranks, uint32_t kinds, uint32_t medium) {
  int i, a, count;
  memset(&program, 0, sizeof program);
  program.seed = seed, program.nranks = nranks, program.kinds = kinds, program.medium = medium;
  state = mix(seed, (uint64_t)nranks);
  for (i = 0; i < TEAMS; i++) program.team[i].made = -1;
  for (i = 0; i < SLOTS; i++) in_flight[i].step = -1;
  memset(used_slots, 0, sizeof used_slots);
  memset(nwaiting, 0, sizeof nwaiting);
  open_barrier = -1;
  program.nepochs = 2 + (int)any(EPOCHS - 1);
  for (epoch = 0; epoch < program.nepochs; epoch++) {
    naccesses = 0;
    count = 5 + (int)any(45);
    if (one_in(2)) end_team(); /* first: no other thread uses it in this epoch */
    for (i = 0; i < count && is_room(); i++) make_any();
    close_barrier();
    for (a = 0; a < nranks * ACTORS; a++) sync_some(a, 1);
    sync_collectives(1);
  }
}
