/* The program, the members of its teams, and the selection of steps that are executed. */
#include "against.h"

struct program program;

uint64_t mix(uint64_t a, uint64_t b) {
  uint64_t x = a * 0x9E3779B97F4A7C15ull ^ (b + 0x632BE59BD9B4E019ull);
  x ^= x >> 30, x *= 0xBF58476D1CE4E5B9ull, x ^= x >> 27, x *= 0x94D049BB133111EBull;
  return x ^ x >> 31;
}

/* Members of the part of `team` that `rank` is in, in order; 0: none. */
int members(int team, int rank, int *out) {
  int parent[MOST_RANKS], n, m = 0, i, j;
  const struct team *t;
  if (team < 0) {
    for (i = 0; i < program.nranks; i++) out[i] = i;
    return program.nranks;
  }
  t = &program.team[team];
  n = members(t->parent, rank, parent);
  for (i = 0; i < n; i++)
    if (t->color[parent[i]] >= 0 && t->color[parent[i]] == t->color[rank]) out[m++] = parent[i];
  for (i = 1; i < m; i++)
    for (j = i; j > 0 && t->key[out[j]] < t->key[out[j - 1]]; j--) { int x = out[j]; out[j] = out[j - 1], out[j - 1] = x; }
  for (i = 0; i < m; i++)
    if (out[i] == rank) return m;
  return 0;
}
int rank_in(int team, int viewer, int rank) {
  int list[MOST_RANKS], n = members(team, viewer, list), i;
  for (i = 0; i < n; i++) if (list[i] == rank) return i;
  return -1;
}

static void keep(int id) {
  struct step *s = &program.step[id];
  if (id < 0 || s->alive) return;
  s->alive = 1;
  keep(s->before), keep(s->after);
  if (s->team >= 0) keep(program.team[s->team].made);
}
void keep_steps(const char *only) {
  int i;
  for (i = 0; i < program.nsteps; i++) program.step[i].alive = 0;
  if (!only) for (i = 0; i < program.nsteps; i++) if (!program.step[i].aux) keep(i);
  while (only && *only) {
    char *end;
    long id = strtol(only, &end, 10);
    if (end == only) break;
    if (id >= 0 && id < program.nsteps && !program.step[id].aux) keep((int)id);
    only = *end ? end + 1 : end;
  }
}
