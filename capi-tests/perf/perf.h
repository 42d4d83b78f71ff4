/* Declarations that the parts of gasnet_perf share. Only the public GASNet-1 interface is used, so that the same
   program builds against any GASNet. */
#ifndef GASNET_PERF_H
#define GASNET_PERF_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif

#include <gasnet.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

/* A GASNet-EX behind gasnet.h is measured, too. */
#ifdef GEX_SPEC_VERSION_MAJOR
#define HAVE_EX 1
#endif

#define MAX_THREADS 64
#define MAX_LIST 64
#define FILL_BYTE 0x5a

#ifdef GASNET_SEQ
#define COUNT(word) ((word)++)
#else
#define COUNT(word) __atomic_fetch_add(&(word), 1, __ATOMIC_RELAXED)
#endif

#define GASNET_OK_OR_DIE(call) \
  do { \
    int rc_ = (call); \
    if (rc_ != GASNET_OK) die("%s: %s", #call, gasnet_ErrorDesc(rc_)); \
  } while (0)

/* Sleeps, yields or spins as the library decides, and runs handlers, until `word` counts `n` messages. */
#define AWAIT(word, n) GASNET_BLOCKUNTIL((word) >= (n))

/* One measurement, the same on every rank: rank 0 chooses it and sends it to the others. */
struct round {
  uint32_t op;
  uint32_t pairs;   /* ranks 0..pairs work with ranks pairs..2*pairs; the rest wait */
  uint32_t threads; /* of each rank that works */
  uint32_t check;   /* compare the received data byte by byte: not for timing */
  uint64_t size;    /* bytes of payload */
  uint64_t iters;   /* of each thread */
};

enum role { ORIGIN, TARGET, LOOPBACK, BYSTANDER };

/* The parameters of one thread's part of a round. */
struct part {
  const struct round *round;
  enum role role;
  int thread;
  gasnet_node_t peer;
  char *there;  /* this thread's part of the peer's segment */
  char *here;   /* this thread's part of our segment */
  char *source; /* private memory, a source */
  char *sink;   /* private memory, a destination */
};

enum {
  SIZED = 1,    /* takes the list of sizes */
  MEDIUM = 2,   /* sizes end at gasnet_AMMaxMedium() */
  LONG = 4,     /* sizes end at gasnet_AMMaxLong...() */
  VALUE = 8,    /* sizes end at the size of gasnet_register_value_t */
  EVERYONE = 16, /* all ranks work, by one thread each */
  TOTAL = 32,   /* run once; it reports figures of its own */
  PUTS = 64,    /* the bytes lie in the target's segment afterwards */
  GETS = 128,   /* the bytes lie in `sink` afterwards */
  FILLS = 256,   /* the target's segment holds FILL_BYTE afterwards */
  ONE_WAY = 512, /* print the bandwidth */
  UNASKED = 1024, /* run only if it is named */
  SHAPED = 2048,  /* moves a block of its own; see vis.h */
  PRIVATE_SET = 4096, /* reads a working set in private memory */
  SEGMENT_SET = 8192  /* reads a working set in the segment, behind the threads' parts */
};

struct op {
  const char *name;
  const char *help;
  unsigned kind;
  void (*run)(const struct part *);
};

/* Counters that handlers raise, one set a thread, each on lines of its own. */
struct lane {
  volatile uint64_t arrived;
  volatile uint64_t answered;
  volatile uint64_t bad;
  char pad[128 - 3 * sizeof(uint64_t)];
};

extern const struct op am_ops[], rma_ops[], job_ops[], ex_am_ops[], ex_rma_ops[], vis_ops[], coll_ops[];
extern struct lane lanes[MAX_THREADS + 1];
extern gasnet_handlerentry_t am_handlers[];
extern const int am_handler_count;
extern size_t slot_bytes; /* of a thread in the segment */
extern char **segment_of; /* by rank */
extern size_t segment_bytes; /* of this rank */
extern char *working_set; /* private memory of set_bytes, the source of put-set */

/* options.c */
enum form { TABLE, JSON, TSV };
extern double idle_s;   /* how long the ranks wait in `idle` */
extern double repeat_s; /* the value of --time */
extern size_t set_bytes; /* the value of --working-set */
int wants(unsigned kind); /* an operation of this kind */
extern uint32_t pool;   /* threads that exist */
extern struct wanted {
  const struct op *ops[MAX_LIST * 2];
  int op_count;
  uint64_t sizes[MAX_LIST];
  int size_count;
  uint32_t threads[MAX_LIST];
  int thread_count;
  uint32_t pairs; /* 0: all */
  uint64_t time_ns, iters;
  uint32_t repeats;
  uint64_t segment;
  enum form form;
  int hello, wire;
} want;
void read_options(int argc, char **argv);

/* gasnet_perf.c */
const struct op *op_by_number(uint32_t number);
extern gasnet_node_t me, nodes;
void die(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));
uint64_t now_ns(void);
void barrier(void);
unsigned char pattern(uint64_t seed, size_t i);
void everyone_tells(int column, double value);
double told(gasnet_node_t rank, int column);
void everyone_touches_everyone(void);

/* am.c */
void this_thread_is(int thread);
void lanes_clear(void);
uint64_t lanes_arrived(int threads);
extern void *answer_source; /* the payload of replies */
#ifndef GASNET_SEQ
extern __thread int my_lane;
#endif
/* The handler of a flood counts messages: each measuring thread in a lane of its own, all other threads in one. */
static inline void arrived(void) {
#ifdef GASNET_SEQ
  lanes[0].arrived++;
#else
  if (my_lane == MAX_THREADS) COUNT(lanes[MAX_THREADS].arrived);
  else lanes[my_lane].arrived++;
#endif
}

/* ex_am.c, ex_rma.c, coll.c: nothing where there is no GASNet-EX */
void ex_start(void); /* collective, after attach */
#ifdef HAVE_EX
extern gex_TM_t team;
void ex_rma_start(void);
#endif

/* job.c */
double memory_kib(const char *of);

/* report.c */
struct figure {
  const struct op *op;
  struct round round;
  uint32_t repeats;
  double median_ns, min_ns, max_ns; /* of one operation */
};
void report_begin(enum form form);
void report(const struct figure *figure);
void report_value(const char *name, const char *unit, double value);
void report_end(void);

#endif
