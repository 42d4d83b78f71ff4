/* gasnet_perf: latency, rate and bandwidth of every GASNet-1 operation, on the public interface alone.

   Rank 0 makes up rounds (`struct round`) and sends each to the other ranks; all do their part between two
   barriers, and rank 0 keeps the time. The first round of a measurement checks what arrived, the next ones
   find how many iterations fill the wanted time, the last ones are reported as their median. */
#include "perf.h"
#include "vis.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { COMMAND = 190, TOLD, TOUCH };
#define TOLD_COLUMNS 8
#define QUIT UINT32_MAX

gasnet_node_t me, nodes;

static int attached;
static char *segment_here;
char **segment_of, *working_set;
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

/* --- ranks exchange values --- */

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

/* Collective. On rank 0, `told` then returns each rank's value. */
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
static pthread_barrier_t starting, ending;

const struct op *op_by_number(uint32_t number) {
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

/* The shorter of two rounds: a disturbed round would give a wrong number of iterations. */
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

/* Ranks that have just started may share a core needlessly: gives the system time to move them. */
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

/* --- start --- */

static char *buffer(size_t nbytes) {
  void *memory = NULL;
  if (posix_memalign(&memory, 4096, nbytes)) die("no memory");
  memset(memory, 1, nbytes);
  return memory;
}

static void attach(void) {
  static gasnet_handlerentry_t table[32];
  typedef void (*handler)(void);
  uintptr_t page = GASNET_PAGESIZE, size = pool * slot_bytes + (wants(SEGMENT_SET) ? set_bytes : 0);
  if (want.segment) size = want.segment;
  int count = am_handler_count;
  memcpy(table, am_handlers, (size_t)count * sizeof table[0]);
  table[count++] = (gasnet_handlerentry_t){COMMAND, (handler)on_command};
  table[count++] = (gasnet_handlerentry_t){TOLD, (handler)on_told};
  table[count++] = (gasnet_handlerentry_t){TOUCH, (handler)on_touch};
  if (want.hello && !want.segment) size = 64 << 20;
  told_table = calloc(nodes, TOLD_COLUMNS * sizeof *told_table); /* before any rank can send its values */
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
  if (segments[me].size < pool * slot_bytes + (wants(SEGMENT_SET) ? set_bytes : 0)) die("the segment is smaller than the sizes need");
  segment_here = segment_of[me];
  segment_bytes = segments[me].size;

  sources = buffer(pool * slot_bytes);
  sinks = buffer(pool * slot_bytes);
  if (wants(PRIVATE_SET)) working_set = buffer(set_bytes);
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
