/* A random legal program of GASNet calls, the same on every rank by its seed, whose defined results are written down so that two libraries
 * can be compared. program.c generates the steps, subset.c selects those that are executed, print.c prints them, main.c runs them and steps_*.c hold the calls.
 *
 * Legal means: between two barriers each byte has one writer, or only readers; memory that a pending operation reads or writes is left alone
 * until it is synchronised. An actor is one of two threads of a rank (in SEQ the threads run one after the other).
 *
 * Steps whose `aux` is set (synchronisation, teams, domains) happen if a step that needs them does: any set of the other steps is a
 * legal program, which is how a difference is shrunk. */
#ifndef AGAINST_H
#define AGAINST_H

#include <gasnet.h>
#include <gasnet_coll.h>
#include <gasnet_ratomic.h>
#include <gasnet_vis.h>

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RANKS = 8, ACTORS = 2, MOST_STEPS = 1200, SLOTS = 12, TEAMS = 8, DOMAINS = 6, EPOCHS = 6 };
enum { DATA = 96 << 10, ATOMS = 512, MINE = 64 << 10, SCRATCH_AT = 128 << 10, SCRATCH = 1 << 20 };
enum { SEGMENT = SCRATCH_AT + TEAMS * SCRATCH };

enum kind {
  PUT, GET, PUT_VALUE, GET_VALUE, MEMSET, VIS, MESSAGE, MESSAGE_0, BROADCAST, REDUCE, TEAM_BARRIER, LEGACY_COLLECTIVE, ATOMIC, BARRIER,
  SPLIT_BARRIER, QUERY, FILL, READ, POLL, REAL_KINDS,
  /* aux: */ SYNC = REAL_KINDS, MESSAGE_SYNC, BEGIN_REGION, END_REGION, TEAM_NEW, TEAM_END, DOMAIN_NEW, BARRIER_WAIT, KINDS
};
extern const char *const kind_names[KINDS];

enum how { BLOCKING, NB, NBI };
enum sync_form { WAIT_ONE, TRY_ONE, WAIT_ALL, TRY_ALL, WAIT_SOME, TRY_SOME, NBI_WAIT_PUTS, NBI_TRY_PUTS, NBI_WAIT_GETS, NBI_TRY_GETS, NBI_WAIT, NBI_TRY };

/* Bytes at `at` of a place: the segment of a rank, or the private memory of an actor (places after the ranks'). */
struct range { int place; uint32_t at, n; };

struct step {
  enum kind kind;
  int id, epoch, actor;  /* -1: thread 0 of each member of the team */
  int aux, alive;
  int before, after;     /* aux steps that this one needs, or -1 */
  int team, domain;      /* index, or -1: everybody */
  int peer;              /* by rank of the job */
  int ex, how, flavour, slot;
  struct range near, far;
  uint64_t value;
  uint32_t slots;        /* SYNC: whose handles */
  int nargs, reply, reply_nargs; /* messages: 0 none, 1 Short, 2 Medium, 3 Long */
  struct range answer;
};

struct team { int parent, made, color[MOST_RANKS], key[MOST_RANKS], form; int size, member[MOST_RANKS]; };
struct domain { int team, made; uint32_t type; };

struct program {
  uint64_t seed;
  int nranks, nsteps, nteams, ndomains, nepochs;
  uint32_t kinds, medium;    /* what may be used: a bit a kind, bytes of a Medium */
  struct step step[MOST_STEPS];
  struct team team[TEAMS];
  struct domain domain[DOMAINS];
};
extern struct program program;

/* program.c */
void make_program(uint64_t seed, int nranks, uint32_t kinds, uint32_t medium);

/* subset.c */
void keep_steps(const char *only); /* "1,5,9": the others and what only they need do not happen; NULL keeps all */
int members(int team, int rank, int *out);        /* of the part of `team` that `rank` is in, in order: how many */
int rank_in(int team, int viewer, int rank);      /* of `rank` in the part that `viewer` is in; -1: not in it */
uint64_t mix(uint64_t a, uint64_t b);

/* print.c */
void print_program(void);

/* main.c */
extern int me, nranks;
extern char *segment_of[MOST_RANKS], *mine[ACTORS];
extern int waits;                       /* collectives are waited for: GASNet-EX 2025.8.0 never completes a large one that is only tested */
extern int planted;                     /* a kind whose results are spoilt, to test the comparison; or -1 */
char *address(struct range r, uint32_t offset); /* of a segment as its owner knows it, or of an actor of this rank */
void say(const struct step *s, const char *what, uint64_t value);
uint64_t sum_of(const void *bytes, size_t n);
const char *code_name(int code);
void fill_bytes(void *p, size_t n, uint64_t seed);

/* steps_*.c: each runs a step of this actor */
void run_rma(struct step *s);
void run_vis(struct step *s);
void run_message(struct step *s);
void run_collective(struct step *s);
void run_team(struct step *s);
void run_atomic(struct step *s);
void run_barrier(struct step *s);
void run_sync(struct step *s);

int message_table(gasnet_handlerentry_t *table);
void messages_reset(void);
void messages_expected(int epoch);      /* waits until all of this epoch have been handled here */
void messages_say(int epoch);
void free_lists(void);
void end_domains(void);
void end_teams(void);
void write_line(const char *name, uint64_t a, uint64_t b); /* of this epoch */

extern gex_TM_t world, team_of[TEAMS];
extern gex_EP_t endpoint;
extern gex_Event_t handle[MOST_RANKS * ACTORS][SLOTS];
extern gex_AD_t domain_of[DOMAINS];
gex_TM_t team_at(const struct step *s, gex_Rank_t *rank); /* how a step names its peer */

#endif
