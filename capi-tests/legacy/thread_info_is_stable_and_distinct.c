// GASNET_GET_THREADINFO gives one value a thread, different between live threads; POST and BEGIN_FUNCTION compile at the head of a block.
// ranks: 1 2
#include "check.h"

static int same(gasnet_threadinfo_t info) {
  GASNET_POST_THREADINFO(info);
  CHECK(info == GASNET_GET_THREADINFO());
  return gasnet_try_syncnbi_all() == GASNET_OK;
}
static void plain(void) {
  GASNET_BEGIN_FUNCTION();
  gasnet_put_val(next_rank(), seg(next_rank()) + me, 1, 1);
  { GASNET_BEGIN_FUNCTION(); CHECK_EQ(gasnet_get_val(next_rank(), seg(next_rank()) + me, 1), 1); }
}
#if GASNET_PAR
enum { THREADS = 5 };
static gasnet_threadinfo_t info[THREADS];
static pthread_barrier_t all;
static void work(int i) {
  info[i] = GASNET_GET_THREADINFO();
  CHECK(info[i] == GASNET_GET_THREADINFO());
  CHECK(same(info[i]));
  plain();
  pthread_barrier_wait(&all);
}
#endif

int main(int argc, char **argv) {
  GASNET_BEGIN_FUNCTION();
  check_start(&argc, &argv, NULL, 0, GASNET_PAGESIZE);
  CHECK(same(GASNET_GET_THREADINFO()));
  plain();
#if GASNET_PAR
  {
    int i, j;
    pthread_barrier_init(&all, NULL, THREADS);
    on_threads(THREADS, work);
    for (i = 0; i < THREADS; i++)
      for (j = 0; j < i; j++) CHECK(info[i] != info[j]);
  }
#endif
  return check_end();
}
