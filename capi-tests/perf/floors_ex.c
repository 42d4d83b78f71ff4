/* Floors for operations that only GASNet-EX has: atomics on a shared word, and reductions among processes. */
#include "floors.h"

#include <sched.h>
#include <string.h>

/* Compilers make an addition without a result of an atomic whose result nobody uses. */
static void fetched(uint64_t value) { __asm__ volatile("" : : "r"(value)); }
static void fetch_add(int rank, uint64_t from, uint64_t n) {
  (void)from;
  if (rank == 0)
    for (uint64_t i = 0; i < n; i++) fetched(__atomic_fetch_add(&shared->counter, 1, __ATOMIC_SEQ_CST));
}
static void fetch_add_both(int rank, uint64_t from, uint64_t n) {
  (void)rank, (void)from;
  for (uint64_t i = 0; i < n; i++) fetched(__atomic_fetch_add(&shared->counter, 1, __ATOMIC_SEQ_CST));
}

/* One counter, and one word that the last process writes. Spins if each process has a core. */
static void barrier(void) {
  uint64_t phase = shared->phase;
  if (__atomic_add_fetch(&shared->here, 1, __ATOMIC_ACQ_REL) == (uint64_t)processes) {
    shared->here = 0;
    __atomic_store_n(&shared->phase, phase + 1, __ATOMIC_RELEASE);
  } else {
    while (__atomic_load_n(&shared->phase, __ATOMIC_ACQUIRE) == phase)
      if (processes > 2) sched_yield();
  }
}

static void sum(double *out, const double *contributions, size_t stride) {
  size_t count = size / sizeof *out;
  memcpy(out, contributions, size);
  for (int p = 1; p < processes; p++) {
    const double *in = contributions + (size_t)p * stride;
    for (size_t i = 0; i < count; i++) out[i] += in[i];
  }
}

/* Each process copies its doubles to shared memory; then a barrier, then the sums. `each`: every process computes all sums
   (the next round uses other memory, so one barrier is enough); otherwise process 0 computes them, and after a second
   barrier every process copies them. */
static void reduce(int rank, uint64_t from, uint64_t n, int each) {
  size_t stride = (size + 63) / 64 * 8;
  double *mine = (double *)private_bytes, *out = mine + size / sizeof *mine;
  for (uint64_t i = from; i < from + n; i++) {
    double *round = (double *)shared->bytes + (each ? i % 2 * (size_t)processes * stride : 0);
    memcpy(round + (size_t)rank * stride, mine, size);
    barrier();
    if (each) {
      sum(out, round, stride);
      continue;
    }
    if (rank == 0) sum((double *)shared->bytes + (size_t)processes * stride, round, stride);
    barrier();
    memcpy(out, (double *)shared->bytes + (size_t)processes * stride, size);
  }
  __asm__ volatile("" ::"r"(out) : "memory");
}
static void reduce_each(int rank, uint64_t from, uint64_t n) { reduce(rank, from, n, 1); }
static void reduce_one(int rank, uint64_t from, uint64_t n) { reduce(rank, from, n, 0); }

const struct floor ex_floors[] = {
  {"fetch-add", fetch_add, PAIR}, {"fetch-add-both", fetch_add_both, PAIR},
  {"reduce-each", reduce_each, BOTH}, {"reduce-one", reduce_one, BOTH},
  {NULL, NULL, PAIR},
};
