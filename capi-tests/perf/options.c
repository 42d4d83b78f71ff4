/* The command line of gasnet_perf. */
#include "perf.h"
#include "vis.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t slot_bytes = 4096;
double idle_s = 2, repeat_s;
size_t set_bytes = 64 << 20;
uint32_t pool = 1;
struct wanted want = {.pairs = 1, .time_ns = 50000000, .repeats = 5};

static const char help[] =
  "usage: gasnet_perf [options] [operation ...]\n"
  "Measures GASNet-1 operations between ranks 0 and 1 (or among all). Without a name: all operations.\n\n"
  "  -s, --sizes LIST     payload bytes: 8,64,4k or LO:HI[:FACTOR]   (default 8:4M:8)\n"
  "  -t, --threads LIST   threads of a rank, PAR builds only          (default 1)\n"
  "  -p, --pairs N|all    ranks 0..N work with ranks N..2N            (default 1)\n"
  "  -m, --time MS        length of one repeat                        (default 50)\n"
  "  -n, --iterations N   instead of --time\n"
  "  -r, --repeats N      prints the median of N measurements         (default 5)\n"
  "  -S, --segment BYTES  of each rank                                (default: enough for the sizes)\n"
  "      --idle SECONDS   that `idle` waits                           (default 2)\n"
  "      --working-set BYTES   of memory that put-set reads            (default 64M)\n"
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

int wants(unsigned kind) {
  for (int i = 0; i < want.op_count; i++)
    if (want.ops[i]->kind & kind) return 1;
  return 0;
}

void read_options(int argc, char **argv) {
  enum { TSV_OPTION = 1000, HELLO_OPTION, IDLE_OPTION, WIRE_OPTION, SET_OPTION };
  static const struct option longs[] = {
    {"sizes", 1, 0, 's'}, {"threads", 1, 0, 't'}, {"pairs", 1, 0, 'p'}, {"time", 1, 0, 'm'},
    {"iterations", 1, 0, 'n'}, {"repeats", 1, 0, 'r'}, {"segment", 1, 0, 'S'}, {"json", 0, 0, 'j'},
    {"tsv", 0, 0, TSV_OPTION}, {"hello", 0, 0, HELLO_OPTION}, {"idle", 1, 0, IDLE_OPTION}, {"wire", 0, 0, WIRE_OPTION},
    {"working-set", 1, 0, SET_OPTION},
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
    case SET_OPTION: set_bytes = (size_t)size_of(optarg, &end); break;
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
  if (wants(SHAPED) && slot_bytes < VIS_BYTES) slot_bytes = VIS_BYTES;
  slot_bytes = (slot_bytes + 4095) & ~(size_t)4095;
}
