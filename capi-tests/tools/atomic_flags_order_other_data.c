// A full fence keeps a later load behind an earlier store: two threads that each store, fence and load the other's
// word never both miss it. Release and acquire carry data with a flag.
// ranks: 1
#include "tools_check.h"

#define ROUNDS 1000
static gasnett_strongatomic_t x, y, go, done;
static int saw[2];
static int data;

static void both(int i) {
  gasnett_strongatomic_t *mine = i ? &x : &y, *theirs = i ? &y : &x;
  int n;
  for (n = 1; n <= ROUNDS; n++) {
    if (i == 0) {
      gasnett_strongatomic_set(&x, 0, 0);
      gasnett_strongatomic_set(&y, 0, 0);
      gasnett_strongatomic_set(&done, 0, GASNETT_ATOMIC_MB_PRE);
      data = n;
      gasnett_strongatomic_set(&go, (gasnett_atomic_val_t)n, GASNETT_ATOMIC_REL);
    }
    while (gasnett_strongatomic_read(&go, GASNETT_ATOMIC_ACQ) != (gasnett_atomic_val_t)n) gasnett_sched_yield();
    CHECK_EQ(data, n);
    if (n & 1) {
      gasnett_strongatomic_set(mine, 1, GASNETT_ATOMIC_MB_POST);
      saw[i] = (int)gasnett_strongatomic_read(theirs, 0);
    } else {
      gasnett_strongatomic_set(mine, 1, 0);
      gasnett_local_mb();
      saw[i] = (int)gasnett_strongatomic_read(theirs, 0);
    }
    gasnett_strongatomic_increment(&done, GASNETT_ATOMIC_REL);
    while (gasnett_strongatomic_read(&done, GASNETT_ATOMIC_ACQ) < 2) gasnett_sched_yield();
    CHECK(saw[0] || saw[1]);
    gasnett_strongatomic_increment(&done, GASNETT_ATOMIC_MB_PRE | GASNETT_ATOMIC_MB_POST);
    if (i == 0)
      while (gasnett_strongatomic_read(&done, GASNETT_ATOMIC_ACQ) < 4) gasnett_sched_yield();
  }
}

int main(void) {
  on_threads(2, both);
  return check_end();
}
