/* Atomic domains of each type, over all ranks or parts, and their operations. */
#include "against.h"

gex_AD_t domain_of[DOMAINS];

/* The first ten do not fetch; those up to 3 commute with each other, 5 to 8 each with itself. */
static const gex_OP_t codes[] = {GEX_OP_ADD, GEX_OP_SUB, GEX_OP_INC, GEX_OP_DEC, GEX_OP_SET, GEX_OP_MIN, GEX_OP_MAX, GEX_OP_XOR, GEX_OP_OR,
                                 GEX_OP_CAS, GEX_OP_FADD, GEX_OP_FSUB, GEX_OP_FINC, GEX_OP_FDEC, GEX_OP_GET, GEX_OP_SWAP, GEX_OP_FCAS,
                                 GEX_OP_FMIN, GEX_OP_FMAX};
#define OF_ALL                                                                                                                                   \
  (GEX_OP_ADD | GEX_OP_SUB | GEX_OP_INC | GEX_OP_DEC | GEX_OP_SET | GEX_OP_MIN | GEX_OP_MAX | GEX_OP_CAS | GEX_OP_FADD | GEX_OP_FSUB |           \
   GEX_OP_FINC | GEX_OP_FDEC | GEX_OP_GET | GEX_OP_SWAP | GEX_OP_FCAS | GEX_OP_FMIN | GEX_OP_FMAX)

void end_domains(void) {
  int i;
  for (i = DOMAINS - 1; i >= 0; i--) {
    if (domain_of[i] != GEX_AD_INVALID) gex_AD_Destroy(domain_of[i]);
    domain_of[i] = GEX_AD_INVALID;
  }
}

void run_atomic(struct step *s) {
  static const gex_DT_t types[] = {GEX_DT_I32, GEX_DT_U32, GEX_DT_I64, GEX_DT_U64, GEX_DT_FLT, GEX_DT_DBL};
  const struct domain *d = &program.domain[s->domain];
  int is_float = d->type >= 4;
  gex_OP_t op;
  int64_t a, b;
  gex_Rank_t rank;
  gex_Flags_t flags = 0;
  gex_Event_t event = GEX_EVENT_INVALID;
  void *result, *there;
  if (s->kind == DOMAIN_NEW) {
    static const gex_Flags_t favour[] = {0, GEX_FLAG_AD_FAVOR_MY_RANK, GEX_FLAG_AD_FAVOR_MY_NBRHD, GEX_FLAG_AD_FAVOR_REMOTE};
    gex_AD_Create(&domain_of[s->domain], s->team < 0 ? world : team_of[s->team], types[d->type],
                  is_float ? OF_ALL : OF_ALL | GEX_OP_XOR | GEX_OP_OR, favour[s->value % 4]);
    return;
  }
  op = codes[s->flavour];
  if (is_float && (op == GEX_OP_XOR || op == GEX_OP_OR)) op = GEX_OP_MAX; /* it commutes with itself, too */
  a = (int64_t)(s->value >> 16 & 31) - 8, b = (int64_t)(s->value >> 24 & 31);
  if (op == GEX_OP_CAS || op == GEX_OP_FCAS) a = s->value % 4 ? 0 : a;
  rank = (gex_Rank_t)(s->team < 0 ? s->peer : rank_in(s->team, me, s->peer));
  if (s->ex) rank = (gex_Rank_t)s->peer, flags |= GEX_FLAG_RANK_IS_JOBRANK;
  if (s->value >> 3 & 1) flags |= GEX_FLAG_AD_ACQ;
  if (s->value >> 4 & 1) flags |= GEX_FLAG_AD_REL;
  result = s->near.n ? address(s->near, 0) : NULL, there = address(s->far, 0);
#define OPERATE(NAME, type)                                                                                                          \
  do {                                                                                                                               \
    if (s->how == NB) event = gex_AD_OpNB_##NAME(domain_of[s->domain], (type *)result, rank, there, op, (type)a, (type)b, flags);    \
    else (void)gex_AD_OpNBI_##NAME(domain_of[s->domain], (type *)result, rank, there, op, (type)a, (type)b, flags);                  \
  } while (0)
  switch (d->type) {
    case 0: OPERATE(I32, int32_t); break;
    case 1: OPERATE(U32, uint32_t); break;
    case 2: OPERATE(I64, int64_t); break;
    case 3: OPERATE(U64, uint64_t); break;
    case 4: OPERATE(FLT, float); break;
    default: OPERATE(DBL, double);
  }
  if (s->how == NB) handle[me * ACTORS + s->actor % ACTORS][s->slot] = event;
}
