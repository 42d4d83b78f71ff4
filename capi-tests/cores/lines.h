/* What the plugin and the program share: a file that every process maps. It holds the state of a simulated coherent cache. */
#ifndef CORES_LINES_H
#define CORES_LINES_H

#include <stdint.h>

enum { MOST_RANKS = 128, MOST_RANGES = 400, STEPS = 12, LINES = 1 << 18 };

/* Memory that ranks share, where one of them has it mapped. `object` is the inode. */
struct range {
  uint64_t low, high, object, offset;
};

struct traced_rank {
  int32_t pid, ranges;
  struct range range[MOST_RANGES];
};

/* A cache line: the ranks whose caches hold it, and how often it moved in each step. */
struct line {
  uint64_t key, holders[MOST_RANKS / 64];
  uint32_t lock, moved[STEPS];
};

/* Lines that one rank's accesses moved to it, and accesses that took a line that it held away from others. */
struct moves {
  uint64_t to_read, to_write, taken;
};

struct lines {
  /* Accesses are simulated from `on` on, and counted in `step`, which 0 is not. */
  uint32_t on, step, full, ranks;
  uint32_t here, turn;
  struct moves moves[STEPS][MOST_RANKS];
  struct traced_rank rank[MOST_RANKS];
  struct line line[LINES];
};

#endif
