/* Contiguous transfers, access regions, and the synchronisation of handles. */
#include "against.h"

#define HANDLE(s) handle[me * ACTORS + ((s)->actor < 0 ? 0 : (s)->actor % ACTORS)][(s)->slot]

/* By a team of both, by a pair of endpoints, or by the team of all. */
gex_TM_t team_at(const struct step *s, gex_Rank_t *rank) {
  *rank = (gex_Rank_t)s->peer;
  if (s->team >= 0) {
    *rank = (gex_Rank_t)rank_in(s->team, me, s->peer);
    return team_of[s->team];
  }
  return s->value % 5 == 0 && s->kind != QUERY ? gex_TM_Pair(endpoint, 0) : world;
}

/* With GEX_FLAG_IMMEDIATE until it starts. */
#define UNTIL(call) while (call) gasnet_AMPoll()
#define UNTIL_EVENT(event, call) while ((event = (call)) == GEX_EVENT_NO_OP) gasnet_AMPoll()

static void put_ex(struct step *s, void *there, void *here, size_t n) {
  gex_Flags_t flags = s->value % 3 == 0 ? GEX_FLAG_IMMEDIATE : 0;
  gex_Event_t event = GEX_EVENT_INVALID, leaf = GEX_EVENT_INVALID;
  gex_Event_t *lc = s->flavour % 3 == 0 ? GEX_EVENT_NOW : s->flavour % 3 == 1 ? GEX_EVENT_DEFER : s->how == NBI ? GEX_EVENT_GROUP : &leaf;
  gex_Rank_t rank;
  gex_TM_t tm = team_at(s, &rank);
  switch (s->how) {
    case BLOCKING: UNTIL(gex_RMA_PutBlocking(tm, rank, there, here, n, flags)); break;
    case NB:
      UNTIL_EVENT(event, gex_RMA_PutNB(tm, rank, there, here, n, lc, flags));
      HANDLE(s) = event;
      if (lc == &leaf) gex_Event_Wait(leaf);
      break;
    default:
      UNTIL(gex_RMA_PutNBI(tm, rank, there, here, n, s->before >= 0 && lc == GEX_EVENT_GROUP ? GEX_EVENT_NOW : lc, flags));
      if (lc == GEX_EVENT_GROUP && s->before < 0) gex_NBI_Wait(GEX_EC_LC, 0);
  }
  if (s->flavour % 3 != 1 && n) { /* the source is free: another thread's step may write it, as this one does */
    char first = *(char *)here;
    *(volatile char *)here = (char)~first;
    *(volatile char *)here = first;
  }
}
static void put_1(struct step *s, void *there, void *here, size_t n) {
  gasnet_node_t to = (gasnet_node_t)s->peer;
  int bulk = s->flavour >= 2;
  switch (s->how) {
    case BLOCKING: bulk ? gasnet_put_bulk(to, there, here, n) : gasnet_put(to, there, here, n); break;
    case NB: HANDLE(s) = bulk ? gasnet_put_nb_bulk(to, there, here, n) : gasnet_put_nb(to, there, here, n); break;
    default: bulk ? gasnet_put_nbi_bulk(to, there, here, n) : gasnet_put_nbi(to, there, here, n);
  }
}
static void get_ex(struct step *s, void *here, void *there, size_t n) {
  gex_Flags_t flags = s->value % 3 == 0 ? GEX_FLAG_IMMEDIATE : 0;
  gex_Event_t event;
  gex_Rank_t rank;
  gex_TM_t tm = team_at(s, &rank);
  switch (s->how) {
    case BLOCKING: UNTIL(gex_RMA_GetBlocking(tm, here, rank, there, n, flags)); break;
    case NB: UNTIL_EVENT(event, gex_RMA_GetNB(tm, here, rank, there, n, flags)); HANDLE(s) = event; break;
    default: UNTIL(gex_RMA_GetNBI(tm, here, rank, there, n, flags));
  }
}
static void get_1(struct step *s, void *here, void *there, size_t n) {
  gasnet_node_t from = (gasnet_node_t)s->peer;
  int bulk = s->flavour >= 2;
  switch (s->how) {
    case BLOCKING: bulk ? gasnet_get_bulk(here, from, there, n) : gasnet_get(here, from, there, n); break;
    case NB: HANDLE(s) = bulk ? gasnet_get_nb_bulk(here, from, there, n) : gasnet_get_nb(here, from, there, n); break;
    default: bulk ? gasnet_get_nbi_bulk(here, from, there, n) : gasnet_get_nbi(here, from, there, n);
  }
}
static void put_value(struct step *s, void *there, size_t n) {
  uint64_t value = mix(s->value, 7) ^ (planted == PUT_VALUE);
  gex_Flags_t flags = s->value % 3 == 0 ? GEX_FLAG_IMMEDIATE : 0;
  gex_Event_t event;
  gex_Rank_t rank;
  gex_TM_t tm = team_at(s, &rank);
  gasnet_node_t to = (gasnet_node_t)s->peer;
  switch (s->how) {
    case BLOCKING:
      if (s->ex) UNTIL(gex_RMA_PutBlockingVal(tm, rank, there, value, n, flags));
      else gasnet_put_val(to, there, value, n);
      break;
    case NB:
      if (s->ex) {
        UNTIL_EVENT(event, gex_RMA_PutNBVal(tm, rank, there, value, n, flags));
        HANDLE(s) = event;
      } else HANDLE(s) = gasnet_put_nb_val(to, there, value, n);
      break;
    default:
      if (s->ex) UNTIL(gex_RMA_PutNBIVal(tm, rank, there, value, n, flags));
      else gasnet_put_nbi_val(to, there, value, n);
  }
}
static void get_value(struct step *s, void *there, size_t n) {
  gasnet_node_t from = (gasnet_node_t)s->peer;
  uint64_t value;
  gex_Rank_t rank;
  gex_TM_t tm = team_at(s, &rank);
  if (s->ex) value = gex_RMA_GetBlockingVal(tm, rank, there, n, 0);
  else if (s->flavour) value = gasnet_get_val(from, there, n);
  else {
    gasnet_valget_handle_t h = gasnet_get_nb_val(from, there, n);
    if (s->value % 2) gasnet_AMPoll();
    value = gasnet_wait_syncnb_valget(h);
  }
  say(s, "value", value ^ (planted == GET_VALUE));
}
static void set_bytes(struct step *s, void *there, size_t n) {
  gasnet_node_t to = (gasnet_node_t)s->peer;
  int value = (int)(s->value >> 8 & 0x3ff) ^ (planted == MEMSET); /* only its low 8 bits count */
  switch (s->how) {
    case BLOCKING: gasnet_memset(to, there, value, n); break;
    case NB: HANDLE(s) = gasnet_memset_nb(to, there, value, n); break;
    default: gasnet_memset_nbi(to, there, value, n);
  }
}

void run_rma(struct step *s) {
  char *there, *here;
  if (s->kind == BEGIN_REGION) {
    if (s->ex) gex_NBI_BeginAccessRegion(0);
    else gasnet_begin_nbi_accessregion();
    return;
  }
  if (s->kind == END_REGION) {
    HANDLE(s) = s->ex ? gex_NBI_EndAccessRegion(0) : gasnet_end_nbi_accessregion();
    return;
  }
  there = address(s->far, 0);
  here = s->near.n ? address(s->near, 0) : NULL;
  switch (s->kind) {
    case PUT: if (s->ex) put_ex(s, there, here, s->far.n); else put_1(s, there, here, s->far.n); break;
    case GET: if (s->ex) get_ex(s, here, there, s->far.n); else get_1(s, here, there, s->far.n); break;
    case PUT_VALUE: put_value(s, there, s->far.n); break;
    case GET_VALUE: get_value(s, there, s->far.n); break;
    default: set_bytes(s, there, s->far.n);
  }
}

/* --- synchronisation ------------------------------------------------------------------------------------------- */

static int test_nbi(int ex, gex_EC_t mask) {
  if (ex) {
    gasnet_AMPoll();
    return gex_NBI_Test(mask, 0);
  }
  return mask == GEX_EC_PUT ? gasnet_try_syncnbi_puts() : mask == GEX_EC_GET ? gasnet_try_syncnbi_gets() : gasnet_try_syncnbi_all();
}
static int test_one(int ex, gex_Event_t event) {
  if (!ex) return gasnet_try_syncnb(event);
  gasnet_AMPoll();
  return gex_Event_Test(event);
}

void run_sync(struct step *s) {
  gex_Event_t *all = handle[me * ACTORS + (s->actor < 0 ? 0 : s->actor % ACTORS)], list[SLOTS];
  int i, n = 0, left = 1, rounds = 0;
  static const gex_EC_t masks[] = {GEX_EC_PUT, GEX_EC_GET, GEX_EC_ALL};
  if (s->flavour >= NBI_WAIT_PUTS) {
    gex_EC_t mask = masks[(s->flavour - NBI_WAIT_PUTS) / 2];
    if (s->flavour % 2) while (test_nbi(s->ex, mask) != GASNET_OK) {}
    else if (s->ex) gex_NBI_Wait(mask, 0);
    else if (mask == GEX_EC_PUT) gasnet_wait_syncnbi_puts();
    else if (mask == GEX_EC_GET) gasnet_wait_syncnbi_gets();
    else gasnet_wait_syncnbi_all();
    /* What GASNet-1 calls all is gets and puts: atomic operations are of neither kind. */
    if (!s->ex && mask == GEX_EC_ALL) gex_NBI_Wait(GEX_EC_RMW, 0);
    return;
  }
  for (i = 0; i < SLOTS; i++)
    if (s->slots >> i & 1) list[n++] = all[i], all[i] = GEX_EVENT_INVALID;
  if (s->value % 2) for (i = 0; i < n / 2; i++) { gex_Event_t x = list[i]; list[i] = list[n - 1 - i], list[n - 1 - i] = x; }
  switch (s->actor < 0 && waits ? WAIT_ONE : (enum sync_form)s->flavour) {
    case WAIT_ONE: for (i = 0; i < n; i++) { if (s->ex) gex_Event_Wait(list[i]); else gasnet_wait_syncnb(list[i]); } return;
    case TRY_ONE: for (i = 0; i < n; i++) while (test_one(s->ex, list[i]) != GASNET_OK) {} return;
    case WAIT_ALL: if (s->ex) gex_Event_WaitAll(list, (size_t)n, 0); else gasnet_wait_syncnb_all(list, (size_t)n); break;
    case TRY_ALL:
      while ((s->ex ? (gasnet_AMPoll(), gex_Event_TestAll(list, (size_t)n, 0)) : gasnet_try_syncnb_all(list, (size_t)n)) != GASNET_OK) {}
      break;
    default:
      while (left) {
        int before = left;
        if (s->flavour == WAIT_SOME) {
          if (s->ex) gex_Event_WaitSome(list, (size_t)n, 0);
          else gasnet_wait_syncnb_some(list, (size_t)n);
        } else while ((s->ex ? (gasnet_AMPoll(), gex_Event_TestSome(list, (size_t)n, 0)) : gasnet_try_syncnb_some(list, (size_t)n)) != GASNET_OK) {}
        for (left = 0, i = 0; i < n; i++) left += list[i] != GEX_EVENT_INVALID;
        if (rounds++ && left >= before) say(s, "some-without-progress", (uint64_t)left);
      }
  }
  for (i = 0; i < n; i++) if (list[i] != GEX_EVENT_INVALID) say(s, "not-invalid-after", (uint64_t)i);
}
