// Several threads a rank take tasks from their rank's queue and steal from other ranks by messages when it is empty; every task is
// done once, and the ranks find out by themselves that all is done.
// ranks: 1 2 3 7
// modes: par
// time: 120
#include "check.h"

enum { STEAL = 150, LOOT, DONE, THREADS = 3, FIRST_TASKS = 2000, LOOT_MOST = 64 };

/* A task of `weight` splits in two until it weighs one. */
typedef struct { uint32_t weight, name; } task_t;
static task_t *queue;
static int head, tail;
static gasnet_hsl_t queue_lock = GASNET_HSL_INITIALIZER;
static long total_done; /* at rank 0 */
static int stop;

static int pop(task_t *t, int most) {
  int n = 0;
  gasnet_hsl_lock(&queue_lock);
  while (n < most && head < tail) t[n++] = queue[--tail];
  gasnet_hsl_unlock(&queue_lock);
  return n;
}
static void push(const task_t *t, int n) {
  int i;
  gasnet_hsl_lock(&queue_lock);
  for (i = 0; i < n; i++) queue[tail++] = t[i];
  gasnet_hsl_unlock(&queue_lock);
}
static void on_steal(gasnet_token_t t, gasnet_handlerarg_t thread) {
  task_t loot[LOOT_MOST];
  int n;
  gasnet_hsl_lock(&queue_lock);
  n = (tail - head) / 2;
  if (n > LOOT_MOST) n = LOOT_MOST;
  memcpy(loot, queue + head, sizeof *loot * (size_t)n);
  head += n;
  gasnet_hsl_unlock(&queue_lock);
  CHECK(gasnet_AMReplyMedium1(t, LOOT, n ? loot : NULL, sizeof *loot * (size_t)n, thread) == GASNET_OK);
}
static int answered[THREADS];
static void on_loot(gasnet_token_t t, void *buf, size_t n, gasnet_handlerarg_t thread) {
  (void)t;
  if (n) push((task_t *)buf, (int)(n / sizeof(task_t)));
  __atomic_store_n(&answered[thread], n ? 2 : 1, __ATOMIC_RELEASE);
}
static void on_done(gasnet_token_t t, gasnet_handlerarg_t n) {
  (void)t;
  if (n < 0) __atomic_store_n(&stop, 1, __ATOMIC_RELEASE);
  else __atomic_add_fetch(&total_done, n, __ATOMIC_RELAXED);
}

static uint64_t checksum[THREADS];
static void work(int me_thread) {
  uint64_t state = 99 + me * 17 + (unsigned)me_thread;
  int done = 0;
  while (!__atomic_load_n(&stop, __ATOMIC_ACQUIRE)) {
    task_t t;
    if (pop(&t, 1)) {
      if (t.weight > 1) {
        task_t two[2];
        two[0].weight = t.weight / 2, two[0].name = t.name * 2;
        two[1].weight = t.weight - t.weight / 2, two[1].name = t.name * 2 + 1;
        push(two, 2);
      } else {
        checksum[me_thread] += t.name;
        done++;
      }
      if (done < 200) continue;
    }
    if (done) {
      CHECK(gasnet_AMRequestShort1(0, DONE, done) == GASNET_OK);
      done = 0;
    }
    if (me == 0 && __atomic_load_n(&total_done, __ATOMIC_RELAXED) == (long)FIRST_TASKS * 8 * nranks) {
      gasnet_node_t r;
      for (r = 0; r < nranks; r++) CHECK(gasnet_AMRequestShort1(r, DONE, -1) == GASNET_OK);
    }
    if (nranks > 1) {
      gasnet_node_t victim = (gasnet_node_t)((me + 1 + rnd(&state) % (nranks - 1)) % nranks);
      int *mine = &answered[me_thread];
      __atomic_store_n(mine, 0, __ATOMIC_RELAXED);
      CHECK(gasnet_AMRequestShort1(victim, STEAL, me_thread) == GASNET_OK);
      GASNET_BLOCKUNTIL(__atomic_load_n(mine, __ATOMIC_ACQUIRE));
    } else gasnet_AMPoll();
  }
}

/* The sum of the names of all leaves of a task. */
static uint64_t sum_of(uint32_t weight, uint32_t name) {
  if (weight <= 1) return name;
  return sum_of(weight / 2, name * 2) + sum_of(weight - weight / 2, name * 2 + 1);
}

int main(int argc, char **argv) {
  gasnet_handlerentry_t table[] = { HANDLER(STEAL, on_steal), HANDLER(LOOT, on_loot), HANDLER(DONE, on_done) };
  uint64_t mine = 0, all = 0, expected = 0;
  gasnet_node_t r;
  int i;
  queue = (task_t *)malloc(sizeof *queue * 400000);
  check_start(&argc, &argv, table, 3, GASNET_PAGESIZE);
  MUST(queue != NULL);
  if (me == nranks - 1) /* all the work starts on one rank */
    for (i = 0; i < (int)(FIRST_TASKS * nranks); i++) {
      task_t t;
      t.weight = 8, t.name = (uint32_t)i % 1000 + 1;
      push(&t, 1);
    }
  barrier();
  on_threads(THREADS, work);
  for (i = 0; i < THREADS; i++) mine += checksum[i];
  gasnet_put_val(0, seg(0) + 8 * me, mine, 8);
  barrier();
  if (me == 0) {
    for (r = 0; r < nranks; r++) all += ((uint64_t *)(void *)seg(0))[r];
    for (i = 0; i < (int)(FIRST_TASKS * nranks); i++) expected += sum_of(8, (uint32_t)i % 1000 + 1);
    CHECK_EQ(all, expected);
  }
  return check_end();
}
