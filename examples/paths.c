/* Shortest ways through a road network, with GASNet-EX: from one town to all others.

   usage: paths [FILE | TOWNS] [FROM]
   FILE holds a line `a b length` for each road between towns a and b (# starts a comment); without one, a network of
   TOWNS towns is made up, the same one each time. FROM is the town to start at (0).

   Town t is of rank t % ranks. In each round a rank offers the neighbours of towns that have become nearer a way through
   them. Offers to one rank are written straight into the buffer of a negotiated-payload message. A round ends when as
   many messages have arrived as were sent in the whole job, and the search when no rank has anything left to offer:
   one reduction says both. Remote atomics collect the statistics at rank 0, a team of each host's ranks reports what
   the host did, and at the end rank 0 reads all distances and compares them with those of a serial search. */
#include <gasnet_coll.h>
#include <gasnet_ratomic.h>
#include <gasnetex.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FAR UINT32_MAX /* no path is known */
#define BATCH 4096     /* maximum size of a message with offers, in bytes */
#define BARS 8         /* number of bars of the histogram of distances */
#define BAR 250

struct road { uint32_t a, b, length; };
struct way { uint32_t to, length; };
struct offer { uint32_t town, distance; };
/* The contents of each rank's segment. Only rank 0's statistics are used. */
struct shared {
    uint64_t bars[BARS]; /* histogram of distances; bars are BAR wide, the last one is open */
  uint64_t farthest;   /* distance in the upper half, town in the lower */
  uint32_t distance[]; /* of towns me, me + ranks, me + 2 * ranks... */
};

static gex_TM_t world;
static gex_Rank_t me, ranks;

/* All roads, on every rank. */
static struct road *roads;
static size_t road_count;
static uint32_t towns, my_towns;
/* Roads out of this rank's towns: those of town i * ranks + me are ways[first[i]] to ways[first[i + 1]], by the rank of
 * their end. */
static struct way *ways;
static size_t *first;

/* The lock protects data that handlers change: distances, the list of towns that have become nearer, and the count. */
static gex_HSL_t lock = GEX_HSL_INITIALIZER;
static struct shared *mine;
static uint32_t *nearer, nearer_count;
static char *listed; /* by town: whether it is in `nearer` */
static int64_t sent, received, offers;

static void fail(const char *what) {
  fprintf(stderr, "paths: rank %u: %s\n", (unsigned)me, what);
  gasnet_exit(1);
}
static void *memory(size_t count, size_t each) {
  void *at = calloc(count ? count : 1, each);
  if (!at) fail("no memory");
  return at;
}
#define MUST(call) \
  if ((call) != GASNET_OK) fail(#call)

static void add_road(uint32_t a, uint32_t b, uint32_t length) {
  static size_t room;
  if (road_count == room) {
    room = room ? 2 * room : 1024;
    roads = (struct road *)realloc(roads, room * sizeof *roads);
    if (!roads) fail("no memory");
  }
  roads[road_count++] = (struct road){a, b, length};
  if (a >= towns) towns = a + 1;
  if (b >= towns) towns = b + 1;
}

static void read_roads(FILE *file) {
  char line[128];
  uint32_t a, b, length;
  while (fgets(line, sizeof line, file))
    if (sscanf(line, "%" SCNu32 " %" SCNu32 " %" SCNu32, &a, &b, &length) == 3) add_road(a, b, length);
    else if (line[0] != '#' && line[0] != '\n') fail("a line of the file is not `a b length`");
}

static uint32_t dice(void) {
  static uint64_t state = 0x9E3779B97F4A7C15u;
  state ^= state >> 12, state ^= state << 25, state ^= state >> 27;
  return (uint32_t)(state * 0x2545F4914F6CDD1Du >> 32);
}

/* Towns on a square grid, with roads to most neighbours, and a few motorways. */
static void make_roads(uint32_t count) {
  uint32_t side = 1;
  while (side * side < count) side++;
  for (uint32_t t = 0; t < count; t++) {
    if ((t + 1) % side && t + 1 < count && dice() % 8) add_road(t, t + 1, 1 + dice() % 100);
    if (t + side < count && dice() % 8) add_road(t, t + side, 1 + dice() % 100);
    if (dice() % 50 == 0) add_road(t, dice() % count, 100 + dice() % 100);
  }
  towns = count;
}

static int by_rank_of_end(const void *x, const void *y) {
  return (int)(((const struct way *)x)->to % ranks) - (int)(((const struct way *)y)->to % ranks);
}

static void keep_my_ways(void) {
  my_towns = towns / ranks + (me < towns % ranks);
  first = (size_t *)memory((size_t)my_towns + 2, sizeof *first);
  for (size_t i = 0; i < 2 * road_count; i++) {
    uint32_t from = i % 2 ? roads[i / 2].b : roads[i / 2].a;
    if (from % ranks == me) first[from / ranks + 2]++;
  }
  for (uint32_t t = 0; t < my_towns; t++) first[t + 2] += first[t + 1];
  ways = (struct way *)memory(first[my_towns + 1], sizeof *ways);
  for (size_t i = 0; i < 2 * road_count; i++) {
    const struct road *r = &roads[i / 2];
    uint32_t from = i % 2 ? r->b : r->a;
    if (from % ranks == me) ways[first[from / ranks + 1]++] = (struct way){i % 2 ? r->a : r->b, r->length};
  }
  for (uint32_t t = 0; t < my_towns; t++) qsort(ways + first[t], first[t + 1] - first[t], sizeof *ways, by_rank_of_end);
}

/* The caller holds the lock. */
static void consider(struct offer o) {
  uint32_t i = o.town / ranks;
  if (o.distance >= mine->distance[i]) return;
  mine->distance[i] = o.distance;
  if (!listed[i]) nearer[nearer_count++] = i;
  listed[i] = 1;
}

static void on_offers(gex_Token_t token, void *bytes, size_t nbytes) {
  const struct offer *o = (const struct offer *)bytes;
  (void)token;
  gex_HSL_Lock(&lock);
  for (size_t i = 0; i < nbytes / sizeof *o; i++) consider(o[i]);
  received++;
  gex_HSL_Unlock(&lock);
}
static gex_AM_Entry_t handlers[] = {
  {0, (gex_AM_Fn_t)on_offers, GEX_FLAG_AM_REQUEST | GEX_FLAG_AM_MEDIUM, 0, NULL, "on_offers"}};

static void send_off(gex_AM_SrcDesc_t message, size_t count) {
  if (!message) return;
  gex_AM_CommitRequestMedium0(message, handlers[0].gex_index, count * sizeof(struct offer));
  sent++, offers += (int64_t)count;
}

/* Sends offers of paths through the towns that have become nearer. */
static void offer_ways(void) {
  struct start { uint32_t distance; size_t next, end; } *starts;
  gex_HSL_Lock(&lock);
  uint32_t count = nearer_count;
  nearer_count = 0;
  starts = (struct start *)memory(count, sizeof *starts);
  for (uint32_t i = 0; i < count; i++) {
    starts[i] = (struct start){mine->distance[nearer[i]], first[nearer[i]], first[nearer[i] + 1]};
    listed[nearer[i]] = 0;
  }
  gex_HSL_Unlock(&lock);
  for (gex_Rank_t to = 0; to < ranks; to++) {
        /* Between Prepare and Commit no other message may be sent, so the ranks are handled one after the other. */
    gex_AM_SrcDesc_t message = GEX_AM_SRCDESC_NO_OP;
    struct offer *o = NULL;
    size_t used = 0, room = 0;
    for (uint32_t i = 0; i < count; i++)
      for (struct start *s = &starts[i]; s->next < s->end && ways[s->next].to % ranks == to; s->next++) {
        if (used == room) {
          send_off(message, used);
          message = gex_AM_PrepareRequestMedium(world, to, NULL, sizeof *o, BATCH, NULL, 0, 0);
          o = (struct offer *)gex_AM_SrcDescAddr(message);
          room = gex_AM_SrcDescSize(message) / sizeof *o, used = 0;
        }
        o[used++] = (struct offer){ways[s->next].to, s->distance + ways[s->next].length};
      }
    send_off(message, used);
  }
  free(starts);
}

static void search(uint32_t from) {
  enum { SENT, RECEIVED, NEARER, COUNTS };
  int64_t counts[COUNTS];
  gex_HSL_Lock(&lock);
  if (from % ranks == me) consider((struct offer){from, 0});
  gex_HSL_Unlock(&lock);
  do {
    offer_ways();
    do { /* a wait runs handlers, too */
      gex_HSL_Lock(&lock);
      counts[SENT] = sent, counts[RECEIVED] = received, counts[NEARER] = nearer_count;
      gex_HSL_Unlock(&lock);
      gex_Event_Wait(gex_Coll_ReduceToAllNB(world, counts, counts, GEX_DT_I64, sizeof counts[0], COUNTS, GEX_OP_ADD,
                                             NULL, NULL, 0));
    } while (counts[SENT] != counts[RECEIVED]);
  } while (counts[NEARER] != 0);
}

static void *segment_of(gex_Rank_t rank) {
  void *at;
  gex_Event_Wait(gex_EP_QueryBoundSegmentNB(world, rank, &at, NULL, NULL, 0));
  return at;
}

static void collect_statistics(void) {
  struct shared *there = (struct shared *)segment_of(0);
  uint64_t bars[BARS] = {0}, farthest = 0;
  gex_AD_t counters;
  for (uint32_t i = 0; i < my_towns; i++) {
    uint64_t d = mine->distance[i], with_town = d << 32 | (i * ranks + me);
    if (d == FAR) continue;
    bars[d / BAR < BARS ? d / BAR : BARS - 1]++;
    if (with_town > farthest) farthest = with_town;
  }
  gex_AD_Create(&counters, world, GEX_DT_U64, GEX_OP_ADD | GEX_OP_MAX, 0);
  gex_AD_OpNBI_U64(counters, NULL, 0, &there->farthest, GEX_OP_MAX, farthest, 0, 0);
  for (int i = 0; i < BARS; i++) gex_AD_OpNBI_U64(counters, NULL, 0, &there->bars[i], GEX_OP_ADD, bars[i], 0, 0);
  gex_NBI_Wait(GEX_EC_RMW, 0);
  gex_Event_Wait(gex_Coll_BarrierNB(world, 0));
  gex_AD_Destroy(counters);
  if (me != 0) return;
  printf("paths: %" PRIu32 " towns, %zu roads, %u ranks; farthest is town %" PRIu32 " at %" PRIu64 "\n", towns, road_count,
         (unsigned)ranks, (uint32_t)mine->farthest, mine->farthest >> 32);
  for (int i = 0; i < BARS; i++) printf("  %s %4d: %" PRIu64 " towns\n", i < BARS - 1 ? "below" : " from",
                                        BAR * (i < BARS - 1 ? i + 1 : i), mine->bars[i]);
}

/* The ranks of each host sum their statistics in a team. */
static void report_hosts(void) {
  gex_Rank_t host;
  gex_TM_t team;
  int64_t done[2] = {offers, sent};
  gex_System_QueryMyPosition(NULL, NULL, NULL, &host);
  gex_TM_Split(&team, world, (int)host, (int)me, NULL, 0, GEX_FLAG_TM_NO_SCRATCH);
  gex_Event_Wait(gex_Coll_ReduceToOneNB(team, 0, done, done, GEX_DT_I64, sizeof done[0], 2, GEX_OP_ADD, NULL, NULL, 0));
  if (gex_TM_QueryRank(team) == 0)
    printf("  host %u with %u ranks: %" PRId64 " offers in %" PRId64 " messages\n", (unsigned)host,
           (unsigned)gex_TM_QuerySize(team), done[0], done[1]);
  gex_TM_Destroy(team, NULL, 0);
}

/* Rank 0 reads all ranks' distances and compares them with a serial search. */
static uint32_t wrong_towns(uint32_t from) {
  uint32_t *alone = (uint32_t *)memory(towns, sizeof *alone), *theirs = (uint32_t *)memory(towns, sizeof *theirs), wrong = 0;
  for (uint32_t t = 0; t < towns; t++) alone[t] = t == from ? 0 : FAR;
  for (int again = 1; again;) {
    again = 0;
    for (size_t i = 0; i < road_count; i++) {
      const struct road *r = &roads[i];
      if (alone[r->a] != FAR && alone[r->a] + r->length < alone[r->b]) alone[r->b] = alone[r->a] + r->length, again = 1;
      if (alone[r->b] != FAR && alone[r->b] + r->length < alone[r->a]) alone[r->a] = alone[r->b] + r->length, again = 1;
    }
  }
  for (gex_Rank_t r = 0; r < ranks; r++) {
    uint32_t count = towns / ranks + (r < towns % ranks);
    gex_RMA_GetBlocking(world, theirs, r, ((struct shared *)segment_of(r))->distance, count * sizeof *theirs, 0);
    for (uint32_t i = 0; i < count; i++) wrong += theirs[i] != alone[i * ranks + r];
  }
  free(alone), free(theirs);
  return wrong;
}

int main(int argc, char **argv) {
  gex_Client_t client;
  gex_EP_t endpoint;
  gex_Segment_t segment;
  uint32_t from, wrong = 0;
  size_t page = GASNET_PAGESIZE, bytes;
  FILE *file;
  MUST(gex_Client_Init(&client, &endpoint, &world, "PATHS", &argc, &argv, 0));
  me = gex_TM_QueryRank(world), ranks = gex_TM_QuerySize(world);
  file = argc > 1 ? fopen(argv[1], "r") : NULL;
  if (file) read_roads(file), fclose(file);
  else make_roads(argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 10000);
  from = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 0;
  if (from >= towns) fail("no such file, or no such town");
  keep_my_ways();

  bytes = (sizeof *mine + my_towns * sizeof mine->distance[0] + page - 1) / page * page;
  MUST(gex_Segment_Attach(&segment, world, bytes));
  mine = (struct shared *)gex_Segment_QueryAddr(segment);
  memset(mine, 0, sizeof *mine);
  for (uint32_t i = 0; i < my_towns; i++) mine->distance[i] = FAR;
  nearer = (uint32_t *)memory(my_towns, sizeof *nearer), listed = (char *)memory(my_towns, 1);
  MUST(gex_EP_RegisterHandlers(endpoint, handlers, 1));
  gex_Event_Wait(gex_Coll_BarrierNB(world, 0));

  search(from);
  collect_statistics();
  report_hosts();
  if (me == 0) {
    wrong = wrong_towns(from);
    printf("paths: %s\n", wrong ? "ERROR: distances differ from those of a serial search" : "distances agree with a serial search");
    fflush(stdout);
  }
  gex_Event_Wait(gex_Coll_BarrierNB(world, 0));
  gasnet_exit(wrong != 0);
}
