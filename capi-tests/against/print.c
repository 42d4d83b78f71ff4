/* Says a program in lines that a person reads. */
#include "against.h"

const char *const kind_names[KINDS] = {
  "put", "get", "put-value", "get-value", "memset", "vis", "message", "message-0", "broadcast", "reduce", "team-barrier", "legacy-collective",
  "atomic", "barrier", "split-barrier", "query", "fill", "read", "poll", "sync", "message-sync", "begin-region", "end-region", "team-new",
  "team-end", "domain-new", "barrier-wait",
};

static void print_range(const char *name, struct range r) {
  if (r.n == 0) return;
  if (r.place < program.nranks) printf(" %s=segment%d[%u+%u]", name, r.place, r.at, r.n);
  else printf(" %s=memory%d.%d[%u+%u]", name, (r.place - program.nranks) / ACTORS, (r.place - program.nranks) % ACTORS, r.at, r.n);
}

static void print_step(const struct step *s) {
  static const char *const hows[] = {"blocking", "nb", "nbi"}, *const categories[] = {"-", "Short", "Medium", "Long", "LongAsync"};
  static const char *const forms[] = {"wait", "try", "wait_all", "try_all", "wait_some", "try_some", "wait_nbi_puts", "try_nbi_puts",
                                      "wait_nbi_gets", "try_nbi_gets", "wait_nbi_all", "try_nbi_all"};
  printf("%c%4d epoch %d ", s->aux ? ' ' : '*', s->id, s->epoch);
  if (s->actor < 0) printf("all  ");
  else printf("%d.%d  ", s->actor / ACTORS, s->actor % ACTORS);
  printf("%s", kind_names[s->kind]);
  if (s->team >= 0) printf(" team=%d", s->team);
  if (s->domain >= 0) printf(" domain=%d (type %u)", s->domain, program.domain[s->domain].type);
  switch (s->kind) {
    case VIS: printf(" %s %s", s->nargs ? "get" : "put", s->flavour == 0 ? "vector" : s->flavour == 1 ? "indexed" : "strided"); /* fallthrough */
    case PUT: case GET: case PUT_VALUE: case GET_VALUE: case MEMSET: case ATOMIC:
      printf(" %s peer=%d %s flavour=%d", s->ex ? "ex" : "gasnet1", s->peer, hows[s->how], s->flavour);
      break;
    case MESSAGE: case MESSAGE_0:
      printf(" %s peer=%d interface=%d arguments=%d", categories[s->flavour], s->peer, s->ex, s->nargs);
      if (s->reply) printf(" reply=%s arguments=%d", categories[s->reply], s->reply_nargs);
      break;
    case BROADCAST: case REDUCE: case TEAM_BARRIER: case LEGACY_COLLECTIVE:
      printf(" %s flavour=%d root=%d*size/64 n=%u places=%d,%d variant=%d", hows[s->how], s->flavour, s->peer, s->answer.n, s->nargs & 1, s->nargs >> 1, s->ex);
      break;
    case BARRIER: case SPLIT_BARRIER: printf(" pattern=%d rank=%d how=%d", s->flavour, s->peer, s->ex); break;
    case SYNC: printf(" %s %s", s->ex ? "ex" : "gasnet1", forms[s->flavour]); if (s->slots) printf(" slots=%x", s->slots); break;
    case TEAM_NEW: printf(" -> %d form=%d", s->slot, program.team[s->slot].form); break;
    default: break;
  }
  if (s->slot >= 0 && s->kind != TEAM_NEW) printf(" slot=%d", s->slot);
  print_range("near", s->near), print_range("far", s->far);
  if (s->kind == MESSAGE) print_range("answer", s->answer);
  printf("\n");
}

void print_program(void) {
  int i, real = 0, alive = 0;
  for (i = 0; i < program.nsteps; i++) {
    real += !program.step[i].aux && program.step[i].alive;
    alive += program.step[i].alive;
    if (program.step[i].alive) print_step(&program.step[i]);
  }
  printf("seed %llu, %d ranks: %d steps, %d of them the program's own (*)\n", (unsigned long long)program.seed, program.nranks, alive, real);
}
