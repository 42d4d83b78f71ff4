// An event that one thread started is synchronised by another, also while the first starts more.
// modes: par
#include "check_ex.h"

enum { N = 64, EACH = 2500, ROUNDS = 40, PAIRS = 2 };
static gex_Event_t passed[PAIRS][N];
static int turn[PAIRS]; /* even: to be filled; odd: to be synchronised */
static char src[PAIRS][N][EACH], dst[PAIRS][N][EACH];

static void await(int *word, int value) {
  while (__atomic_load_n(word, __ATOMIC_ACQUIRE) != value) gasnet_AMPoll();
}

static void work(int t) {
  int pair = t / 2, round, i;
  gex_Rank_t r = next_rank();
  char *base = seg(r) + KiB(512) * (size_t)pair;
  for (round = 0; round < ROUNDS; round++) {
    if (t % 2 == 0) {
      await(&turn[pair], 4 * round);
      for (i = 0; i < N; i++) {
        fill(src[pair][i], EACH, (unsigned)(i + round) + me);
        passed[pair][i] = gex_RMA_PutNB(world, r, base + i * EACH, src[pair][i], EACH, GEX_EVENT_DEFER, 0);
      }
      __atomic_store_n(&turn[pair], 4 * round + 1, __ATOMIC_RELEASE);
      await(&turn[pair], 4 * round + 2);
      for (i = 0; i < N; i++) passed[pair][i] = gex_RMA_GetNB(world, dst[pair][i], r, base + i * EACH, EACH, 0);
      __atomic_store_n(&turn[pair], 4 * round + 3, __ATOMIC_RELEASE);
    } else {
      await(&turn[pair], 4 * round + 1);
      for (i = 0; i < N; i += 2) gex_Event_Wait(passed[pair][i]), passed[pair][i] = GEX_EVENT_INVALID;
      gex_Event_WaitAll(passed[pair], N, 0);
      __atomic_store_n(&turn[pair], 4 * round + 2, __ATOMIC_RELEASE);
      await(&turn[pair], 4 * round + 3);
      while (gex_Event_TestAll(passed[pair], N, 0)) gasnet_AMPoll();
      for (i = 0; i < N; i++) CHECK(filled(dst[pair][i], EACH, (unsigned)(i + round) + me));
      __atomic_store_n(&turn[pair], 4 * round + 4, __ATOMIC_RELEASE);
    }
  }
}

int main(int argc, char **argv) {
  check_start(&argc, &argv, NULL, 0, MiB(1));
  on_threads(2 * PAIRS, work);
  return check_end();
}
