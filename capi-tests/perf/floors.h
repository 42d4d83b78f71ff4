/* Declarations that the parts of floors share: memory mapped before the fork, and the measurements of each. */
#ifndef FLOORS_H
#define FLOORS_H

#include <stddef.h>
#include <stdint.h>

#define LINE 64
#define RING_SLOTS 256

struct slot {
  volatile uint64_t words[7];
  volatile uint64_t turn; /* number of the message it holds, from 1 */
};

struct shared {
  _Alignas(LINE) volatile uint64_t iters;
  _Alignas(LINE) volatile uint64_t started;
  _Alignas(LINE) volatile uint64_t ready;
  _Alignas(4 * LINE) volatile uint64_t word;
  _Alignas(4 * LINE) volatile uint64_t answer;
  _Alignas(4 * LINE) volatile uint64_t taken;
  _Alignas(4 * LINE) uint64_t counter; /* increased by all processes */
  _Alignas(4 * LINE) uint64_t here;    /* processes that are in the barrier */
  _Alignas(4 * LINE) volatile uint64_t phase;
  _Alignas(4096) struct slot ring[RING_SLOTS];
  _Alignas(4096) char bytes[];
};

struct floor {
  const char *name;
  void (*run)(int rank, uint64_t from, uint64_t n);
  enum { PAIR, BYTES, ROUND, BOTH } takes; /* nothing; a size; processes; a size and processes */
};

extern char *private_bytes; /* of each process: twice `size`, page-aligned */
extern size_t size;
extern struct shared *shared;
extern int processes;

/* floors_ex.c */
extern const struct floor ex_floors[];

/* floors_vis.c */
extern const struct floor vis_floors[];

/* floors_udp.c */
extern const struct floor udp_floors[];
extern size_t udp_segment, udp_window; /* 0: the best size on loopback */
int udp_prepare(void);                 /* before the fork; nonzero: no sockets */

#endif
