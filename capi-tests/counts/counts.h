/* The operations whose instructions are counted. */
#ifndef COUNTS_H
#define COUNTS_H

#include <gasnet.h>
#include <gasnet_ratomic.h>

#define CHECKED(call) \
  do { \
    if ((call) != GASNET_OK) die(#call); \
  } while (0)
void die(const char *what) __attribute__((noreturn));

/* What rank `rank` does `times` times in a row before the other one gets the turn. Counted if it has a name. */
struct step {
  int rank;
  const char *name;
  void (*run)(int times);
};

/* Steps in order; `times` is 1 or a multiple of the messages that a poll takes at once. */
enum { MOST_STEPS = 4, MANY = 32 };
struct scenario {
  int times;
  struct step steps[MOST_STEPS];
};

/* The other rank, its segment, and memory here that no other rank has mapped. */
extern gasnet_node_t peer;
extern char *there, *here;
extern gex_TM_t team;
extern gex_AD_t counters;

extern const struct scenario am_scenarios[], am_large_scenarios[], rma_inline_scenarios[], rma_outofline_scenarios[],
  other_scenarios[], net_scenarios[];
void nothing(int times);
void receive(int times);
extern gasnet_handlerentry_t am_handlers[];
extern const int am_handler_count;
void am_start(void);

#endif
