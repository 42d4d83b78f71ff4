/* against OUT FIRST COUNT NAME=VALUE...: runs the programs of COUNT seeds and writes each rank's results to OUT/log.RANK.
 *   kinds=HEX medium=BYTES   the features of both libraries (`against offers` prints those of this one)
 *   only=ID,ID,...           these steps and those that they depend on
 *   waits=1                  waits for collectives, where they would be tested until they have completed
 *   trace=1                  prints each step to stderr before it is executed
 *   plant=KIND               spoils the results of one kind of step, to see that the comparison finds it
 * against print SEED RANKS NAME=VALUE...: prints the program; starts no job. */
#include "against.h"

#include <pthread.h>

int me, nranks, waits, planted = -1;
char *segment_of[MOST_RANKS], *mine[ACTORS];
gex_TM_t world, team_of[TEAMS];
gex_EP_t endpoint;
gex_Event_t handle[MOST_RANKS * ACTORS][SLOTS];
static FILE *out;
static char *text[ACTORS];
static size_t text_used[ACTORS], text_room[ACTORS];

char *address(struct range r, uint32_t offset) {
  char *base = r.place < program.nranks ? segment_of[r.place] : mine[(r.place - program.nranks) % ACTORS];
  return base + r.at + offset;
}

uint64_t sum_of(const void *bytes, size_t n) {
  const unsigned char *p = (const unsigned char *)bytes;
  uint64_t sum = n, word;
  for (; n >= 8; p += 8, n -= 8) {
    memcpy(&word, p, 8);
    sum = (sum ^ word) * 0x9E3779B97F4A7C15ull, sum ^= sum >> 29;
  }
  for (; n; p++, n--) sum = (sum ^ *p) * 0x100000001B3ull;
  return sum;
}
void fill_bytes(void *p, size_t n, uint64_t seed) {
  unsigned char *to = (unsigned char *)p;
  size_t i;
  for (i = 0; i < n; i++) {
    if (i % 8 == 0) seed = mix(seed, i);
    to[i] = (unsigned char)(seed >> i % 8 * 8);
  }
}

const char *code_name(int code) { return gasnet_ErrorName(code); }

/* By the thread of the step; the order in a log is that of the program. */
void say(const struct step *s, const char *what, uint64_t value) {
  int thread = s->actor < 0 ? 0 : s->actor % ACTORS;
  if (text_room[thread] - text_used[thread] < 160) text[thread] = (char *)realloc(text[thread], text_room[thread] += 1 << 16);
  text_used[thread] += (size_t)snprintf(text[thread] + text_used[thread], 160, "%llu step %d %s %s %016llx\n", (unsigned long long)program.seed, s->id,
                                        kind_names[s->kind], what, (unsigned long long)value);
}

static void run_local(struct step *s) {
  switch (s->kind) {
    case FILL: fill_bytes(address(s->near, 0), s->near.n, s->value); break;
    case READ: say(s, "bytes", sum_of(address(s->near, 0), s->near.n)); break;
    case POLL: gasnet_AMPoll(); break;
    default: {
      void *owner = NULL, *local = NULL;
      uintptr_t size = 0;
      gex_Rank_t rank;
      gex_TM_t tm = team_at(s, &rank);
      gasnet_seginfo_t info[MOST_RANKS];
      gex_Event_Wait(gex_EP_QueryBoundSegmentNB(tm, rank, &owner, &local, &size, 0));
      say(s, "segment-size", size);
      say(s, "owner-address", owner == segment_of[s->peer]);
      if (gasnet_getSegmentInfo(info, nranks) != GASNET_OK || info[s->peer].addr != owner || info[s->peer].size != size) say(s, "segment-info", 1);
      say(s, "job", (uint64_t)gex_System_QueryJobRank() << 32 | gex_System_QueryJobSize());
      if (s->team >= 0) {
        say(s, "team", (uint64_t)gex_TM_QueryRank(tm) << 32 | gex_TM_QuerySize(tm));
        say(s, "translated", (uint64_t)gex_TM_TranslateRankToJobrank(tm, rank) << 32 | gex_TM_TranslateJobrankToRank(tm, (gex_Rank_t)s->peer));
      }
    }
  }
}

static int traced;
static void run_step(struct step *s) {
  if (traced) fprintf(stderr, "seed %llu rank %d step %d %s\n", (unsigned long long)program.seed, me, s->id, kind_names[s->kind]);
  switch (s->kind) {
    case PUT: case GET: case PUT_VALUE: case GET_VALUE: case MEMSET: case BEGIN_REGION: case END_REGION: run_rma(s); break;
    case VIS: run_vis(s); break;
    case MESSAGE: case MESSAGE_0: case MESSAGE_SYNC: run_message(s); break;
    case BROADCAST: case REDUCE: case TEAM_BARRIER: case LEGACY_COLLECTIVE: run_collective(s); break;
    case TEAM_NEW: case TEAM_END: run_team(s); break;
    case ATOMIC: case DOMAIN_NEW: run_atomic(s); break;
    case BARRIER: case SPLIT_BARRIER: case BARRIER_WAIT: run_barrier(s); break;
    case SYNC: run_sync(s); break;
    default: run_local(s);
  }
  if (s->kind == FILL && planted == FILL && s->near.n) *address(s->near, s->near.n / 2) ^= 1;
}

static int epoch;
static void *run_thread(void *thread) {
  int actor = me * ACTORS + (int)(intptr_t)thread, i, list[MOST_RANKS];
  for (i = 0; i < program.nsteps; i++) {
    struct step *s = &program.step[i];
    if (s->epoch != epoch || !s->alive) continue;
    if (s->actor == actor) run_step(s);
    else if (s->actor < 0 && actor % ACTORS == 0 && members(s->team, me, list)) run_step(s);
  }
  return NULL;
}

static void plain_barrier(void) {
  gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
  gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS);
}

static void run_epoch(void) {
  int i, alive = 0;
  for (i = 0; i < program.nsteps; i++) alive |= program.step[i].alive && program.step[i].epoch == epoch;
  if (!alive) return;
#if GASNET_PAR
  {
    pthread_t other[ACTORS];
    for (i = 1; i < ACTORS; i++) if (pthread_create(&other[i], NULL, run_thread, (void *)(intptr_t)i)) abort();
    run_thread(NULL);
    for (i = 1; i < ACTORS; i++) pthread_join(other[i], NULL);
  }
#else
  for (i = 0; i < ACTORS; i++) run_thread((void *)(intptr_t)i);
#endif
  messages_expected(epoch);
  if (mix(program.seed, (uint64_t)epoch) % 2) plain_barrier();
  else gex_Event_Wait(gex_Coll_BarrierNB(world, 0));
  for (i = 0; i < ACTORS; i++) {
    fwrite(text[i], 1, text_used[i], out);
    text_used[i] = 0;
    fprintf(out, "%llu epoch %d memory %d %016llx\n", (unsigned long long)program.seed, epoch, i, (unsigned long long)sum_of(mine[i], MINE));
  }
  fprintf(out, "%llu epoch %d segment %016llx atoms %016llx\n", (unsigned long long)program.seed, epoch,
          (unsigned long long)sum_of(segment_of[me], DATA), (unsigned long long)sum_of(segment_of[me] + DATA, ATOMS));
  messages_say(epoch);
  plain_barrier();
}

void write_line(const char *name, uint64_t a, uint64_t b) {
  fprintf(out, "%llu epoch %d %s %llu %016llx\n", (unsigned long long)program.seed, epoch, name, (unsigned long long)a, (unsigned long long)b);
}

static void run_program(void) {
  int i;
  fill_bytes(segment_of[me], DATA, mix(program.seed, (uint64_t)me));
  memset(segment_of[me] + DATA, 0, ATOMS);
  for (i = 0; i < ACTORS; i++) fill_bytes(mine[i], MINE, mix(program.seed, (uint64_t)(100 + me * ACTORS + i)));
  messages_reset();
  plain_barrier();
  for (epoch = 0; epoch < program.nepochs; epoch++) run_epoch();
  end_teams();
  plain_barrier();
  free_lists();
  fprintf(out, "%llu end\n", (unsigned long long)program.seed);
  fflush(out);
}

static const char *setting(int argc, char **argv, const char *name) {
  int i;
  size_t n = strlen(name);
  for (i = 1; i < argc; i++) if (!strncmp(argv[i], name, n) && argv[i][n] == '=') return argv[i] + n + 1;
  return NULL;
}

int main(int argc, char **argv) {
  gasnet_handlerentry_t table[128];
  gasnet_seginfo_t info[MOST_RANKS];
  uint64_t seed, end;
  uint32_t kinds = ~0u, medium = 8000;
  const char *value;
  char path[4096];
  int i, print = argc > 3 && !strcmp(argv[1], "print"), offers = argc > 1 && !strcmp(argv[1], "offers");
  if (print) {
    if ((value = setting(argc, argv, "kinds"))) kinds = (uint32_t)strtoul(value, NULL, 16);
    if ((value = setting(argc, argv, "medium"))) medium = (uint32_t)strtoul(value, NULL, 10);
    make_program(strtoull(argv[2], NULL, 10), atoi(argv[3]), kinds, medium);
    keep_steps(setting(argc, argv, "only"));
    print_program();
    return 0;
  }
  if (gasnet_init(&argc, &argv) != GASNET_OK) return 98;
  me = (int)gasnet_mynode(), nranks = (int)gasnet_nodes();
  if (nranks > MOST_RANKS) {
    if (me == 0) fprintf(stderr, "against: at most %d ranks\n", MOST_RANKS);
    gasnet_exit(2);
  }
  if (gasnet_attach(table, message_table(table), SEGMENT, 0) != GASNET_OK) gasnet_exit(97);
  gasnet_QueryGexObjects(NULL, &endpoint, &world, NULL);
  gasnet_getSegmentInfo(info, nranks);
  for (i = 0; i < nranks; i++) segment_of[i] = (char *)info[i].addr;
  for (i = 0; i < ACTORS; i++) mine[i] = (char *)malloc(MINE);
  if (offers) {
    size_t most = gasnet_AMMaxMedium();
    if (gex_AM_LUBRequestMedium() < most) most = gex_AM_LUBRequestMedium();
    if (gex_AM_LUBReplyMedium() < most) most = gex_AM_LUBReplyMedium();
    if (me == 0) printf("medium %zu segment %d\n", most, info[0].size >= SEGMENT);
    fflush(stdout);
    gasnet_exit(0);
  }
  if (argc < 4) {
    if (me == 0) fprintf(stderr, "against: say OUT FIRST COUNT\n");
    gasnet_exit(2);
  }
  if ((value = setting(argc, argv, "kinds"))) kinds = (uint32_t)strtoul(value, NULL, 16);
  if ((value = setting(argc, argv, "medium"))) medium = (uint32_t)strtoul(value, NULL, 10);
  if ((value = setting(argc, argv, "plant")))
    for (planted = 0; planted < REAL_KINDS && strcmp(kind_names[planted], value); planted++) {}
  waits = setting(argc, argv, "waits") != NULL;
  traced = setting(argc, argv, "trace") != NULL;
  snprintf(path, sizeof path, "%s/log.%d", argv[1], me);
  out = fopen(path, "w");
  if (!out) {
    fprintf(stderr, "against: cannot write %s\n", path);
    gasnet_exit(2);
  }
  seed = strtoull(argv[2], NULL, 10);
  for (end = seed + strtoull(argv[3], NULL, 10); seed < end; seed++) {
    make_program(seed, nranks, kinds, medium);
    keep_steps(setting(argc, argv, "only"));
    run_program();
  }
  fclose(out);
  plain_barrier();
  gasnet_exit(0);
  return 1;
}
