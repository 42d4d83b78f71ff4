/* gasnet_perf: latency, rate and bandwidth of every GASNet-1 operation, on the public interface alone.

   Rank 0 makes up rounds (`struct round`) and sends each to the other ranks; all do their part between two
   barriers, and rank 0 keeps the time. The first round of a measurement checks what arrived, the next ones
   find how many iterations fill the wanted time, the last ones are reported as their median. */
#include "perf.h"
#include "vis.h"

#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { COMMAND = 190, TOLD, TOUCH };
#define TOLD_COLUMNS 8
#define QUIT UINT32_MAX

gasnet_node_t me, nodes;
size_t slot_bytes = 4096;
double idle_s = 2, repeat_s;

static struct {
  const struct op *ops[MAX_LIST * 2];
  int op_count;
  uint64_t sizes[MAX_LIST];
  int size_count;
  uint32_t threads[MAX_LIST];
  int thread_count;
  uint32_t pairs; /* 0: all that there are */
  uint64_t time_ns, iters;
  uint32_t repeats;
  uint64_t segment;
  enum form form;
  int hello, wire;
} want = {.pairs = 1, .time_ns = 50000000, .repeats = 5};

static int attached;
static char *segment_here;
char **segment_of;
size_t segment_bytes;
static char *sources, *sinks;

void die(const char *format, ...) {
  va_list args;
  va_start(args, format);
  fprintf(stderr, "gasnet_perf: ERROR: ");
  vfprintf(stderr, format, args);
  fprintf(stderr, "\n");
  va_end(args);
  if (attached) gasnet_exit(1);
  exit(1);
}

uint64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

void barrier(void) {
  gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
  GASNET_OK_OR_DIE(gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS));
}

unsigned char pattern(uint64_t seed, size_t i) { return (unsigned char)(1 + seed + i * 7 + (i >> 8)); }

/* --- ranks tell each other things --- */

static volatile uint64_t commands, touched;
static struct round commanded;
static double *told_table; /* on rank 0: TOLD_COLUMNS a rank */
static volatile uint64_t told_count;

static void on_command(gasnet_token_t token, gasnet_handlerarg_t op, gasnet_handlerarg_t pairs,
                       gasnet_handlerarg_t threads, gasnet_handlerarg_t check, gasnet_handlerarg_t size_high,
                       gasnet_handlerarg_t size_low, gasnet_handlerarg_t iters_high,
                       gasnet_handlerarg_t iters_low) {
  (void)token;
  commanded.op = (uint32_t)op;
  commanded.pairs = (uint32_t)pairs;
  commanded.threads = (uint32_t)threads;
  commanded.check = (uint32_t)check;
  commanded.size = (uint64_t)(uint32_t)size_high << 32 | (uint32_t)size_low;
  commanded.iters = (uint64_t)(uint32_t)iters_high << 32 | (uint32_t)iters_low;
  commands++;
}

static void on_told(gasnet_token_t token, gasnet_handlerarg_t column, gasnet_handlerarg_t high,
                    gasnet_handlerarg_t low) {
  uint64_t bits = (uint64_t)(uint32_t)high << 32 | (uint32_t)low;
  gasnet_node_t from;
  GASNET_OK_OR_DIE(gasnet_AMGetMsgSource(token, &from));
  memcpy(&told_table[from * TOLD_COLUMNS + column], &bits, sizeof bits);
  COUNT(told_count);
}

static void on_touch(gasnet_token_t token) {
  (void)token;
  COUNT(touched);
}

/* Collective. On rank 0 `told` then gives each rank's value. */
void everyone_tells(int column, double value) {
  static uint64_t expected;
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  GASNET_OK_OR_DIE(gasnet_AMRequestShort3(0, TOLD, column, (gasnet_handlerarg_t)(bits >> 32),
                                          (gasnet_handlerarg_t)bits));
  expected += nodes;
  if (me == 0) AWAIT(told_count, expected);
}

double told(gasnet_node_t rank, int column) { return told_table[rank * TOLD_COLUMNS + column]; }

void everyone_touches_everyone(void) {
  static uint64_t expected;
  for (gasnet_node_t i = 0; i < nodes; i++)
    GASNET_OK_OR_DIE(gasnet_AMRequestShort0((me + i) % nodes, TOUCH));
  expected += nodes;
  AWAIT(touched, expected);
}

static void command(const struct round *r) {
  for (gasnet_node_t i = 1; i < nodes; i++)
    GASNET_OK_OR_DIE(gasnet_AMRequestShort8(
      i, COMMAND, (gasnet_handlerarg_t)r->op, (gasnet_handlerarg_t)r->pairs, (gasnet_handlerarg_t)r->threads,
      (gasnet_handlerarg_t)r->check, (gasnet_handlerarg_t)(r->size >> 32), (gasnet_handlerarg_t)r->size,
      (gasnet_handlerarg_t)(r->iters >> 32), (gasnet_handlerarg_t)r->iters));
}

/* --- a round --- */

static struct round current;
static enum role role;
static gasnet_node_t peer;
static uint32_t pool = 1; /* threads that exist */
static pthread_barrier_t starting, ending;

static const struct op *op_by_number(uint32_t number) {
  const struct op *const tables[] = {am_ops, rma_ops, job_ops, ex_am_ops, ex_rma_ops, vis_ops, coll_ops};
  for (size_t t = 0; t < sizeof tables / sizeof tables[0]; t++)
    for (const struct op *op = tables[t]; op->name; op++)
      if (number-- == 0) return op;
  return NULL;
}

static void do_part(int thread) {
  size_t at = (size_t)thread * slot_bytes;
  struct part part = {&current, role, thread, peer, segment_of[peer] + at, segment_here + at, sources + at, sinks + at};
  if (role != BYSTANDER && (uint32_t)thread < current.threads) op_by_number(current.op)->run(&part);
}

static void *work(void *thread) {
  this_thread_is((int)(intptr_t)thread);
  for (;;) {
    pthread_barrier_wait(&starting);
    if (current.op == QUIT) return NULL;
    do_part((int)(intptr_t)thread);
    pthread_barrier_wait(&ending);
  }
}

static void take_role(const struct op *op) {
  gasnet_node_t pairs = (gasnet_node_t)current.pairs;
  peer = me;
  if (nodes == 1) role = LOOPBACK;
  else if (op->kind & EVERYONE) role = ORIGIN;
  else if (me < pairs) role = ORIGIN, peer = me + pairs;
  else if (me < 2 * pairs) role = TARGET, peer = me - pairs;
  else role = BYSTANDER;
}

static void prepare(const struct op *op) {
  for (uint32_t t = 0; t < current.threads; t++) {
    unsigned char *source = (unsigned char *)sources + t * slot_bytes;
    unsigned char *here = (unsigned char *)segment_here + t * slot_bytes;
    for (size_t i = 0; i < current.size; i++) source[i] = pattern(current.size, i);
    if (op->kind & GETS) memcpy(here, source, current.size);
    else memset(here, 0, current.size);
    memset(sinks + t * slot_bytes, 0, current.size);
  }
}

static void verify(const struct op *op) {
  int there = role == TARGET || role == LOOPBACK, here = role == ORIGIN || role == LOOPBACK;
  for (uint32_t t = 0; t < current.threads; t++) {
    const unsigned char *got = (unsigned char *)((op->kind & GETS) ? sinks : segment_here) + t * slot_bytes;
    if (!((op->kind & GETS) ? here : (op->kind & (PUTS | FILLS)) ? there : 0)) continue;
    for (size_t i = 0; i < current.size; i++) {
      unsigned char meant = (op->kind & FILLS) ? FILL_BYTE : pattern(current.size, i);
      if (got[i] != meant)
        die("%s of %llu bytes: byte %llu is %d, not %d", op->name, (unsigned long long)current.size,
            (unsigned long long)i, got[i], meant);
    }
  }
  for (int i = 0; i <= MAX_THREADS; i++)
    if (lanes[i].bad) die("%s of %llu bytes: a message arrived broken", op->name, (unsigned long long)current.size);
}

/* Collective. On rank 0: nanoseconds that the round took, its slowest pair. */
static double perform(const struct round *r) {
  const struct op *op = op_by_number(r->op);
  uint64_t from;
  double ns;
  current = *r;
  take_role(op);
  lanes_clear();
  if (r->check) prepare(op);
  barrier();
  from = now_ns();
  if (pool > 1) pthread_barrier_wait(&starting);
  do_part(0);
  if (pool > 1) pthread_barrier_wait(&ending);
  ns = (double)(now_ns() - from);
  barrier();
  if (r->check) verify(op);
  if (r->pairs > 1) {
    everyone_tells(0, role == ORIGIN ? ns : 0);
    for (gasnet_node_t i = 0; me == 0 && i < nodes; i++)
      if (told(i, 0) > ns) ns = told(i, 0);
  }
  return ns;
}

static void obey(void) {
  for (uint64_t seen = 1;; seen++) {
    AWAIT(commands, seen);
    if (commanded.op == QUIT) break;
    perform(&commanded);
  }
}

/* --- rank 0 --- */

static double lead(const struct round *r) {
  command(r);
  return perform(r);
}

/* The shorter of two: a round that something disturbed says nothing about how many iterations it takes. */
static double undisturbed(const struct round *r) {
  double a = lead(r), b = lead(r);
  return a < b ? a : b;
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Packets and bytes that the loopback interface has carried, of all processes: on a quiet machine, ours. */
static int wire_now(double *packets, double *bytes) {
  char line[512];
  int found = 0;
  FILE *file = fopen("/proc/net/dev", "r");
  while (file && fgets(line, sizeof line, file))
    if (sscanf(line, " lo: %lf %lf", bytes, packets) == 2) found = 1;
  if (file) fclose(file);
  return found;
}

static void report_wire(const struct op *op, uint64_t size, double operations, const double before[2]) {
  char name[128];
  double packets, bytes;
  if (!wire_now(&packets, &bytes)) return;
  packets -= before[0], bytes -= before[1];
  snprintf(name, sizeof name, "wire of %s %llu: packets", op->name, (unsigned long long)size);
  report_value(name, "packets", packets / operations);
  snprintf(name, sizeof name, "wire of %s %llu: bytes", op->name, (unsigned long long)size);
  report_value(name, "bytes", bytes / operations);
  snprintf(name, sizeof name, "wire of %s %llu: bytes a packet", op->name, (unsigned long long)size);
  report_value(name, "bytes", packets > 0 ? bytes / packets : 0);
}

static void measure(const struct op *op, uint32_t number, uint64_t size, uint32_t threads, uint32_t pairs) {
  struct round r = {number, pairs, threads, 1, size, op->kind & TOTAL ? 1 : 16};
  struct figure f = {0};
  double *ns = malloc(want.repeats * sizeof *ns);
  double took, wire[2] = {0, 0};
  lead(&r);
  if (!ns) die("no memory");
  if (op->kind & TOTAL) goto end;
  r.check = 0;
  took = undisturbed(&r);
  while (!want.iters && took < (double)want.time_ns / 4 && r.iters < UINT64_C(1) << 40) {
    double more = (double)want.time_ns / (took + 1);
    r.iters = (uint64_t)((double)r.iters * (more < 2 ? 2 : more > 10 ? 10 : more));
    took = undisturbed(&r);
  }
  r.iters = want.iters ? want.iters : (uint64_t)(1 + (double)r.iters * (double)want.time_ns / took);
  if (want.wire) wire_now(&wire[0], &wire[1]);
  for (uint32_t i = 0; i < want.repeats; i++) ns[i] = lead(&r) / (double)r.iters;
  if (want.wire) report_wire(op, size, (double)want.repeats * (double)r.iters, wire);
  qsort(ns, want.repeats, sizeof *ns, ascending);
  f.op = op;
  f.round = r;
  f.repeats = want.repeats;
  f.median_ns = (ns[(want.repeats - 1) / 2] + ns[want.repeats / 2]) / 2;
  f.min_ns = ns[0];
  f.max_ns = ns[want.repeats - 1];
  report(&f);
end:
  free(ns);
}

static uint64_t size_limit(const struct op *op) {
  uint64_t request = gasnet_AMMaxLongRequest(), reply = gasnet_AMMaxLongReply();
  if (op->kind & MEDIUM) return gasnet_AMMaxMedium();
  if (op->kind & LONG) return request < reply ? request : reply;
  if (op->kind & VALUE) return sizeof(gasnet_register_value_t);
  return UINT64_MAX;
}

/* Ranks that have just started may share a core that they need not share: let the system notice. */
static void settle(void) {
  struct round r = {.pairs = 1, .threads = 1, .iters = 100};
  uint64_t from = now_ns();
  while (strcmp(op_by_number(r.op)->name, "barrier")) r.op++;
  while (now_ns() - from < 100000000) lead(&r);
}

static void measure_all(void) {
  const struct op *op;
  settle();
  for (int i = 0; i < want.op_count; i++)
    for (uint32_t number = 0; (op = op_by_number(number)) != NULL; number++) {
      uint32_t most = (uint32_t)(nodes > 1 ? nodes / 2 : 1);
      uint32_t pairs = want.pairs == 0 || want.pairs > most ? most : want.pairs;
      if (op != want.ops[i]) continue;
      for (int t = 0; t < want.thread_count; t++) {
        if ((op->kind & EVERYONE) && t > 0) continue;
        if (op->kind & EVERYONE && !(op->kind & SIZED)) {
          measure(op, number, 0, 1, 1);
        } else if (op->kind & SIZED) {
          for (int s = 0; s < want.size_count; s++)
            if (want.sizes[s] <= size_limit(op)) measure(op, number, want.sizes[s], op->kind & EVERYONE ? 1 : want.threads[t], op->kind & EVERYONE ? 1 : pairs);
        } else {
          measure(op, number, 0, want.threads[t], pairs);
        }
      }
    }
  command(&(struct round){.op = QUIT});
}

/* --- options --- */

static const char help[] =
  "usage: gasnet_perf [options] [operation ...]\n"
  "Measures GASNet-1 operations between ranks 0 and 1 (or among all). Without a name: all operations.\n\n"
  "  -s, --sizes LIST     payload bytes: 8,64,4k or LO:HI[:FACTOR]   (default 8:4M:8)\n"
  "  -t, --threads LIST   threads of a rank, PAR builds only          (default 1)\n"
  "  -p, --pairs N|all    ranks 0..N work with ranks N..2N            (default 1)\n"
  "  -m, --time MS        length of one repeat                        (default 50)\n"
  "  -n, --iterations N   instead of --time\n"
  "  -r, --repeats N      the median of so many is printed            (default 5)\n"
  "  -S, --segment BYTES  of each rank                                (default: what the sizes need)\n"
  "      --idle SECONDS   that `idle` waits                           (default 2)\n"
  "  -j, --json | --tsv   for programs; nanoseconds are of one operation\n"
  "      --hello          init, attach, barrier, exit: for timing from outside\n"
  "      --wire           also what passed the loopback interface meanwhile\n"
  "  -l, --list           the operations\n"
  "  -h, --help\n";

static uint64_t size_of(const char *text, char **end) {
  double value = strtod(text, end);
  const char *units = "kKmMgG", *unit = **end ? strchr(units, **end) : NULL;
  if (*end == text || value < 0) die("`%s` is not a size", text);
  if (!unit) return (uint64_t)value;
  (*end)++;
  return (uint64_t)(value * (double)(UINT64_C(1) << (10 * ((unit - units) / 2 + 1))));
}

static int list_of(const char *text, uint64_t *list) {
  int count = 0;
  for (char *at = (char *)(uintptr_t)text;;) {
    uint64_t from = size_of(at, &at), to = from, factor = 2;
    if (*at == ':') to = size_of(at + 1, &at);
    if (*at == ':') factor = size_of(at + 1, &at);
    if (factor < 2) die("a factor is at least 2");
    for (uint64_t value = from;; value *= factor) {
      if (count == MAX_LIST) die("more than %d values in a list", MAX_LIST);
      list[count++] = value;
      if (value == 0 || value > to / factor) break;
    }
    if (*at == '\0') return count;
    if (*at++ != ',') die("`%s` is not a list", text);
  }
}

static void choose(const char *name) {
  const struct op *op;
  int found = 0;
  for (uint32_t i = 0; (op = op_by_number(i)) != NULL; i++)
    if (name ? !strcmp(op->name, name) : !(op->kind & UNASKED)) {
      if (want.op_count == MAX_LIST * 2) die("too many operations");
      want.ops[want.op_count++] = op;
      found = 1;
    }
  if (!found) die("no operation `%s`; --list shows them", name);
}

static void read_options(int argc, char **argv) {
  enum { TSV_OPTION = 1000, HELLO_OPTION, IDLE_OPTION, WIRE_OPTION };
  static const struct option longs[] = {
    {"sizes", 1, 0, 's'}, {"threads", 1, 0, 't'}, {"pairs", 1, 0, 'p'}, {"time", 1, 0, 'm'},
    {"iterations", 1, 0, 'n'}, {"repeats", 1, 0, 'r'}, {"segment", 1, 0, 'S'}, {"json", 0, 0, 'j'},
    {"tsv", 0, 0, TSV_OPTION}, {"hello", 0, 0, HELLO_OPTION}, {"idle", 1, 0, IDLE_OPTION}, {"wire", 0, 0, WIRE_OPTION},
    {"list", 0, 0, 'l'}, {"help", 0, 0, 'h'}, {0, 0, 0, 0}};
  uint64_t list[MAX_LIST];
  char *end;
  int letter;
  optind = 1;
  while ((letter = getopt_long(argc, argv, "s:t:p:m:n:r:S:jlh", longs, NULL)) != -1) switch (letter) {
    case 's': want.size_count = list_of(optarg, want.sizes); break;
    case 't':
      want.thread_count = list_of(optarg, list);
      for (int i = 0; i < want.thread_count; i++) {
        if (list[i] < 1 || list[i] > MAX_THREADS) die("threads: 1 to %d", MAX_THREADS);
        want.threads[i] = (uint32_t)list[i];
      }
      break;
    case 'p': want.pairs = strcmp(optarg, "all") ? (uint32_t)size_of(optarg, &end) : 0; break;
    case 'm': want.time_ns = (uint64_t)(1e6 * strtod(optarg, NULL)); break;
    case 'n': want.iters = size_of(optarg, &end); break;
    case 'r': want.repeats = (uint32_t)size_of(optarg, &end); break;
    case 'S': want.segment = size_of(optarg, &end); break;
    case 'j': want.form = JSON; break;
    case TSV_OPTION: want.form = TSV; break;
    case HELLO_OPTION: want.hello = 1; break;
    case IDLE_OPTION: idle_s = strtod(optarg, NULL); break;
    case WIRE_OPTION: want.wire = 1; break;
    case 'l':
      for (uint32_t i = 0; op_by_number(i); i++) printf("%-20s %s\n", op_by_number(i)->name, op_by_number(i)->help);
      exit(0);
    case 'h': fputs(help, stdout); exit(0);
    default: fputs(help, stderr); exit(2);
    }
  if (optind == argc) choose(NULL);
  for (int i = optind; i < argc; i++) choose(argv[i]);
  if (want.repeats < 1 || want.time_ns < 1) die("repeats and time are at least 1");
  repeat_s = 1e-9 * (double)want.time_ns;
  if (!want.size_count) want.size_count = list_of("8:4M:8", want.sizes);
  if (!want.thread_count) want.threads[want.thread_count++] = 1;
  for (int i = 0; i < want.thread_count; i++)
    if (want.threads[i] > pool) pool = want.threads[i];
#ifndef GASNET_PAR
  if (pool > 1) die("only a PAR build runs several threads a rank");
#endif
  for (int i = 0; i < want.size_count; i++)
    if (want.sizes[i] > slot_bytes) slot_bytes = want.sizes[i];
  for (int i = 0; i < want.op_count; i++)
    if (want.ops[i]->kind & SHAPED && slot_bytes < VIS_BYTES) slot_bytes = VIS_BYTES;
  slot_bytes = (slot_bytes + 4095) & ~(size_t)4095;
}

static char *buffer(size_t nbytes) {
  void *memory = NULL;
  if (posix_memalign(&memory, 4096, nbytes)) die("no memory");
  memset(memory, 1, nbytes);
  return memory;
}

static void attach(void) {
  static gasnet_handlerentry_t table[32];
  typedef void (*handler)(void);
  uintptr_t page = GASNET_PAGESIZE, size = want.segment ? want.segment : pool * slot_bytes;
  int count = am_handler_count;
  memcpy(table, am_handlers, (size_t)count * sizeof table[0]);
  table[count++] = (gasnet_handlerentry_t){COMMAND, (handler)on_command};
  table[count++] = (gasnet_handlerentry_t){TOLD, (handler)on_told};
  table[count++] = (gasnet_handlerentry_t){TOUCH, (handler)on_touch};
  if (want.hello && !want.segment) size = 64 << 20;
  told_table = calloc(nodes, TOLD_COLUMNS * sizeof *told_table); /* before anyone can tell */
  GASNET_OK_OR_DIE(gasnet_attach(table, count, (size + page - 1) / page * page, 0));
  attached = 1;
  ex_start();
}

int main(int argc, char **argv) {
  gasnet_seginfo_t *segments;
  pthread_t threads[MAX_THREADS];
  for (int i = 1; i < argc; i++) /* needs no job */
    if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h") || !strcmp(argv[i], "--list") || !strcmp(argv[i], "-l"))
      read_options(argc, argv);
  GASNET_OK_OR_DIE(gasnet_init(&argc, &argv));
  me = gasnet_mynode();
  nodes = gasnet_nodes();
  read_options(argc, argv);
  attach();
  if (want.hello) {
    barrier();
    gasnet_exit(0);
  }
  segments = calloc(nodes, sizeof *segments);
  segment_of = calloc(nodes, sizeof *segment_of);
  if (!segments || !segment_of || !told_table) die("no memory");
  GASNET_OK_OR_DIE(gasnet_getSegmentInfo(segments, (int)nodes));
  for (gasnet_node_t i = 0; i < nodes; i++) segment_of[i] = segments[i].addr;
  if (segments[me].size < pool * slot_bytes) die("the segment is smaller than the sizes need");
  segment_here = segment_of[me];
  segment_bytes = segments[me].size;

  sources = buffer(pool * slot_bytes);
  sinks = buffer(pool * slot_bytes);
  answer_source = sources;
  this_thread_is(0);
  if (pool > 1) {
    pthread_barrier_init(&starting, NULL, pool);
    pthread_barrier_init(&ending, NULL, pool);
    for (uint32_t i = 1; i < pool; i++)
      if (pthread_create(&threads[i], NULL, work, (void *)(intptr_t)i)) die("no thread");
  }
  barrier();
  report_begin(want.form);
  if (me == 0) measure_all();
  else obey();
  report_end();
  current.op = QUIT;
  if (pool > 1) pthread_barrier_wait(&starting);
  for (uint32_t i = 1; i < pool; i++) pthread_join(threads[i], NULL);
  barrier();
  gasnet_exit(0);
  return 0;
}
