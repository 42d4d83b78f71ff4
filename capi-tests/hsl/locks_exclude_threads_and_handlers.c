// A counter under a handler-safe lock, raised by threads and by handlers at once, loses nothing; statically and dynamically initialised locks.
// ranks: 1 2 3
#include "check.h"

enum { N = 2000, THREADS = 4 };
static gasnet_hsl_t fixed = GASNET_HSL_INITIALIZER, made;
static long long plain, plain2;
static int acks;
static void raise_both(int thread) {
  (void)thread;
  gasnet_hsl_lock(&fixed);
  plain++;
  gasnet_hsl_lock(&made);
  plain2 += 2;
  gasnet_hsl_unlock(&made);
  gasnet_hsl_unlock(&fixed);
}
static void h(gasnet_token_t t) { raise_both(0); CHECK(gasnet_AMReplyShort0(t, 201) == GASNET_OK); }
static void ack(gasnet_token_t t) { (void)t; __atomic_add_fetch(&acks, 1, 5); }
static void work(int t) {
  int i;
  for (i = 0; i < N; i++) {
    raise_both(t);
    if (i % 4 == 0) CHECK(gasnet_AMRequestShort0(next_rank(), 200) == GASNET_OK);
  }
}

int main(int argc, char **argv) {
  gasnet_handlerentry_t table[] = { HANDLER(200, h), HANDLER(201, ack) };
  int threads = 1;
  check_init(&argc, &argv);
  gasnet_hsl_init(&made);
  check_attach(table, 2, 0);
#if GASNET_PAR
  threads = THREADS;
  on_threads(threads, work);
#else
  work(0);
#endif
  GASNET_BLOCKUNTIL(__atomic_load_n(&acks, 5) == threads * (N / 4));
  barrier();
  gasnet_hsl_lock(&fixed);
  CHECK_EQ(plain, (long long)threads * (N + N / 4));
  CHECK_EQ(plain2, 2 * plain);
  gasnet_hsl_unlock(&fixed);
  barrier();
  gasnet_hsl_destroy(&made);
  gasnet_hsl_destroy(&fixed);
  return check_end();
}
