// A release client may try or wait again after a barrier has completed: it gets the outcome of the last barrier for the id and
// flags that it passes now, and the next barrier works. Before attach gasnet_getSegmentInfo gives empty segments, without an error.
// ranks: 1 2 3
// debug: no
#include "check.h"

static void again(int id, int flags, int want) {
  CHECK_EQ(gasnet_barrier_try(id, flags), want);
  CHECK_EQ(gasnet_barrier_wait(id, flags), want);
}

int main(int argc, char **argv) {
  gasnet_seginfo_t info[3];
  int round;
  check_init(&argc, &argv);
  memset(info, 1, sizeof info);
  CHECK_EQ(gasnet_getSegmentInfo(info, (int)nranks), GASNET_OK);
  for (round = 0; round < (int)nranks; round++) CHECK(info[round].addr == NULL && info[round].size == 0);
  check_attach(NULL, 0, GASNET_PAGESIZE);
  for (round = 0; round < 20; round++) {
    gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
    while (gasnet_barrier_try(0, GASNET_BARRIERFLAG_ANONYMOUS) == GASNET_ERR_NOT_READY) {}
    again(0, GASNET_BARRIERFLAG_ANONYMOUS, GASNET_OK);
    again(7, 0, GASNET_OK);
    gasnet_barrier_notify(round, 0);
    CHECK_EQ(gasnet_barrier_wait(round, 0), GASNET_OK);
    again(round, 0, GASNET_OK);
    again(0, GASNET_BARRIERFLAG_ANONYMOUS, GASNET_OK);
    again(round + 1, 0, GASNET_ERR_BARRIER_MISMATCH);
  }
  return check_end();
}
