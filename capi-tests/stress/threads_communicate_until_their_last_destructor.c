// A thread may communicate as long as destructors of its keys run, in each of their rounds, while other threads start: it keeps
// its own operations. So may the destructors of C++'s thread_local, which run before them.
// ranks: 2 3
// modes: par
// time: 120
#include "check.h"

enum { CHURN = 300, AT_ONCE = 6, WORDS = 64, ROUNDS = 4 };
static pthread_key_t key;
static int destructed, thread_locals;

/* A C++ compiler calls this for a thread_local with a destructor. */
extern int __cxa_thread_atexit_impl(void (*)(void *), void *, void *);
static char here;

struct life {
  int slot, round;
  gasnet_handle_t left; /* started by the thread, waited for in its destructors */
  uint64_t got, sent[WORDS];
};

static char *slot_of(int slot) { return seg(next_rank()) + (size_t)slot * sizeof(uint64_t) * (WORDS + 1); }

/* Puts, gets and puts without handles, all checked. */
static void talk(struct life *life) {
  uint64_t back[WORDS];
  gasnet_handle_t puts[4];
  int i;
  for (i = 0; i < WORDS; i++) life->sent[i] = (uint64_t)life->slot << 32 | (unsigned)(life->round * 1000 + i);
  for (i = 0; i < 4; i++)
    puts[i] = gasnet_put_nb_bulk(next_rank(), slot_of(life->slot) + i * (WORDS * 2), life->sent + i * (WORDS / 4), WORDS * 2);
  for (i = 0; i < 4; i++) gasnet_wait_syncnb(puts[i]);
  gasnet_get_nbi_bulk(back, next_rank(), slot_of(life->slot), sizeof back);
  gasnet_wait_syncnbi_gets();
  CHECK(memcmp(back, life->sent, sizeof back) == 0);
  gasnet_put_nbi_val(next_rank(), slot_of(life->slot) + sizeof back, (unsigned)life->round, 8);
  gasnet_wait_syncnbi_puts();
}

static void on_thread_local(void *arg) {
  talk((struct life *)arg);
  __atomic_add_fetch(&thread_locals, 1, __ATOMIC_RELAXED);
}

static void on_key(void *arg) {
  struct life *life = (struct life *)arg;
  if (life->round == 0) {
    gasnet_wait_syncnb(life->left);
    CHECK_EQ(life->got, 0x1234567u + me);
  }
  talk(life);
  if (++life->round < ROUNDS) {
    pthread_setspecific(key, life);
    return;
  }
  __atomic_add_fetch(&destructed, 1, __ATOMIC_RELAXED);
  free(life);
}

/* Half of the threads call for the first time in a destructor. */
static void work(int i) {
  struct life *life = (struct life *)calloc(1, sizeof *life);
  life->slot = i;
  life->left = GASNET_INVALID_HANDLE;
  life->got = 0x1234567u + me;
  if (i % 2) {
    talk(life);
    __cxa_thread_atexit_impl(on_thread_local, life, &here);
    life->left = gasnet_get_nb_bulk(&life->got, prev_rank(), seg(prev_rank()) + AT_ONCE * sizeof(uint64_t) * (WORDS + 1), 8);
  }
  pthread_setspecific(key, life);
}

int main(int argc, char **argv) {
  int i;
  check_start(&argc, &argv, NULL, 0, KiB(64));
  pthread_key_create(&key, on_key);
  /* The source of the neighbours' gets. */
  *(uint64_t *)(seg(me) + AT_ONCE * sizeof(uint64_t) * (WORDS + 1)) = 0x1234567u + next_rank();
  barrier();
  for (i = 0; i < CHURN; i++) on_threads(AT_ONCE, work);
  CHECK_EQ(destructed, CHURN * AT_ONCE);
  CHECK_EQ(thread_locals, CHURN * AT_ONCE / 2);
  return check_end();
}
