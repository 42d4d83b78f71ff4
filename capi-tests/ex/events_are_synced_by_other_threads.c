// An event may be waited for, or tested, by another thread than the one that started its operation.
// ranks: 1 2 3
// modes: par
#include "check_ex.h"

enum { ROUNDS = 2000, BATCH = 8 };
static gex_Event_t events[BATCH];
static char sources[BATCH][600], sinks[BATCH][600];
static pthread_barrier_t given, taken;

static void starter(void) {
  int round, i;
  for (round = 0; round < ROUNDS; round++) {
    for (i = 0; i < BATCH; i++) {
      memset(sources[i], round + i, sizeof sources[i]);
      events[i] = i % 2 ? gex_RMA_PutNB(world, next_rank(), seg(next_rank()) + 600 * i, sources[i], 600, GEX_EVENT_DEFER, 0)
                        : gex_RMA_GetNB(world, sinks[i], next_rank(), seg(next_rank()) + KiB(32), 600, 0);
    }
    pthread_barrier_wait(&given);
    pthread_barrier_wait(&taken);
  }
}
static void waiter(void) {
  int round, i;
  for (round = 0; round < ROUNDS; round++) {
    pthread_barrier_wait(&given);
    if (round % 3 == 0)
      for (i = BATCH - 1; i >= 0; i--) gex_Event_Wait(events[i]);
    else if (round % 3 == 1) gex_Event_WaitAll(events, BATCH, 0);
    else
      while (gex_Event_TestAll(events, BATCH, 0) != GASNET_OK) gasnet_AMPoll();
    for (i = 0; i < BATCH; i += 2) CHECK(all_bytes(sinks[i], 600, 77));
    pthread_barrier_wait(&taken);
  }
}
static void thread(int i) { i ? waiter() : starter(); }

int main(int argc, char **argv) {
  int i;
  check_start(&argc, &argv, NULL, 0, KiB(64));
  memset(seg(me) + KiB(32), 77, 600);
  barrier();
  pthread_barrier_init(&given, NULL, 2);
  pthread_barrier_init(&taken, NULL, 2);
  on_threads(2, thread);
  barrier();
  for (i = 1; i < BATCH; i += 2) CHECK(all_bytes(seg(me) + 600 * i, 600, (unsigned char)(ROUNDS - 1 + i)));
  return check_end();
}
