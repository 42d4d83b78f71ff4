// The runtime of examples/pgas: pointers count through arrays, a strict put comes after relaxed ones, locks exclude and
// queue, barriers may be split and named, collectives give every thread the same.
// modes: par
// ranks: 1 2 3 4
#include "check.h"

#include "../../examples/pgas/lock.c"
#include "../../examples/pgas/pgas.c"
#include "../../examples/pgas/together.c"

static int per_rank, check_bad_ranks;

/* Every element is where counting in any way from any other finds it, and nowhere twice. */
static void pointers(size_t count, size_t block) {
  pgas_array a = pgas_alloc(count, sizeof(uint64_t), block);
  for (size_t i = pgas_me(); i < count; i += pgas_threads()) {
    uint64_t value = i + 1;
    pgas_put(pgas_at(&a, i), &value, sizeof value);
  }
  pgas_barrier(0);
  for (size_t i = 0; i < count; i++) {
    size_t other = (i * 7 + 3) % count;
    pgas_ptr p = pgas_at(&a, i), q = pgas_add(&a, pgas_at(&a, other), (ptrdiff_t)i - (ptrdiff_t)other);
    uint64_t value = 0;
    CHECK(p.addr == q.addr && p.thread == q.thread && p.phase == q.phase);
    CHECK_EQ(p.phase, i % block);
    CHECK_EQ(p.thread, pgas_owner(&a, i));
    CHECK_EQ(pgas_distance(&a, pgas_at(&a, other), p), (ptrdiff_t)i - (ptrdiff_t)other);
    CHECK((pgas_local(p) != NULL) == (p.thread / (unsigned)per_rank == gasnet_mynode()));
    pgas_get(&value, p, sizeof value);
    CHECK_EQ(value, i + 1);
  }
  pgas_barrier(0);
}

/* A flag put strictly behind relaxed data; a thread that sees the flag sees the data. And a thread sees its own puts. */
static void order(void) {
  enum { ROUNDS = 50, WORDS = 40 };
  uint32_t n = pgas_threads(), next = (pgas_me() + 1) % n;
  pgas_array data = pgas_alloc(n * WORDS, sizeof(uint32_t), WORDS), flags = pgas_alloc(n, sizeof(uint32_t), 1);
  uint32_t words[WORDS], seen, back;
  for (uint32_t round = 1; round <= ROUNDS; round++) {
    for (int i = 0; i < WORDS; i++) words[i] = round * 1000 + (uint32_t)i;
    for (int i = 0; i < WORDS; i++) pgas_put(pgas_at(&data, next * WORDS + (size_t)i), &words[i], sizeof words[i]);
    pgas_get(&back, pgas_at(&data, next * WORDS + 5), sizeof back);
    CHECK_EQ(back, round * 1000 + 5);
    pgas_put_strict(pgas_at(&flags, next), &round, sizeof round);
    do {
      pgas_get_strict(&seen, pgas_at(&flags, pgas_me()), sizeof seen);
      if (seen != round) pgas_poll();
    } while (seen != round);
    pgas_get(words, pgas_at(&data, pgas_me() * WORDS), sizeof words);
    for (int i = 0; i < WORDS; i++) CHECK_EQ(words[i], round * 1000 + (uint32_t)i);
    pgas_barrier((int)round);
  }
}

/* No increment under a lock is lost, on whichever ranks lock and counter are. */
static void locks(void) {
  enum { LOCKS = 5, ROUNDS = 60 };
  pgas_array lock = pgas_alloc(LOCKS, sizeof(pgas_lock_t), 1), counter = pgas_alloc(LOCKS * 3, sizeof(uint64_t), 2);
  uint64_t value, all = 0;
  for (int round = 0; round < ROUNDS; round++) {
    size_t i = ((size_t)round + pgas_me()) % LOCKS;
    if (round % 4) pgas_lock(pgas_at(&lock, i));
    else
      while (!pgas_trylock(pgas_at(&lock, i))) pgas_poll();
    pgas_get(&value, pgas_at(&counter, i), sizeof value);
    value++;
    pgas_put(pgas_at(&counter, i), &value, sizeof value);
    CHECK(!pgas_trylock(pgas_at(&lock, i)));
    pgas_unlock(pgas_at(&lock, i));
  }
  pgas_barrier(0);
  for (size_t i = 0; i < LOCKS; i++) {
    pgas_get(&value, pgas_at(&counter, i), sizeof value);
    all += value;
  }
  CHECK_EQ(all, (uint64_t)ROUNDS * pgas_threads());
  pgas_barrier(0);
}

static void together(void) {
  uint32_t n = pgas_threads(), *all = (uint32_t *)pgas_private(3 * n, sizeof *all);
  for (uint32_t round = 0; round < 40; round++) {
    uint32_t mine[3] = {pgas_me(), round, ~pgas_me()}, word = pgas_me() == round % n ? round + 9 : 0;
    double sums[2] = {pgas_me() + 0.5, 1.0 / (pgas_me() + 1)}, copy[2], most = (double)((pgas_me() * 7 + round) % n);
    pgas_gather_all(all, mine, sizeof mine);
    for (uint32_t t = 0; t < n; t++) CHECK(all[3 * t] == t && all[3 * t + 1] == round && all[3 * t + 2] == ~t);
    pgas_broadcast(&word, sizeof word, round % n);
    CHECK_EQ(word, round + 9);
    pgas_sum(sums, 2);
    CHECK(sums[0] == n * (n - 1) / 2 + 0.5 * n);
    memcpy(copy, sums, sizeof copy);
    pgas_broadcast(copy, sizeof copy, (round + 1) % n);
    CHECK(memcmp(copy, sums, sizeof copy) == 0);
    pgas_max(&most, 1);
    CHECK(n % 7 == 0 || most == n - 1);
    pgas_notify((int)round % 3);
    word = 1;
    pgas_wait((int)round % 3);
  }
  free(all);
}

static int all_of_it(int argc, char **argv) {
  (void)argc, (void)argv;
  CHECK_EQ(pgas_threads(), pgas_ranks() * (unsigned)per_rank);
  pointers(100, 1);
  pointers(97, 5);
  pointers(40, 40);
  pointers(3, 2);
  order();
  locks();
  together();
  pgas_barrier(0);
  if (pgas_me() % (unsigned)per_rank == 0) check_bad_ranks = check_verdict();
  pgas_barrier(0);
  return check_bad_ranks;
}

int main(int argc, char **argv) {
  per_rank = 3;
  setenv("PGAS_THREADS", "3", 1);
  setenv("PGAS_HEAP", "1", 1);
  check_rank = 0;
  pgas_run(argc, argv, all_of_it);
  return 1;
}
