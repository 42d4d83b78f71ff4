// While the target of a put makes no call, local completion is seen, remote completion is not, and calls with
// GEX_FLAG_IMMEDIATE return for any size; the transfers that they started arrive.
// needs: test "${GASNET_CONDUIT-}" != shmem
// ranks: 2 3
// time: 120
#include "check_ex.h"

#include <signal.h>

enum { BIG = 300000, SMALL_PUT = 2000, LONG = 70000 };

static volatile int pid;
static volatile int longs;

static volatile int known;

static void on_pid(gex_Token_t token, gex_AM_Arg_t value) {
  pid = (int)value;
  gex_AM_ReplyShort0(token, 202, 0);
}
static void on_known(gex_Token_t token) { (void)token; known = 1; }
static void on_long(gex_Token_t token, void *buf, size_t nbytes) {
  (void)token;
  CHECK_EQ(nbytes, LONG);
  CHECK(filled(buf, LONG, 5));
  longs++;
}

/* Rank 0: rank 1 makes no call until it gets a signal. */
static void puts_to_who_computes(int far) {
  static unsigned char small[SMALL_PUT], big[BIG], again[BIG], message[LONG], back[BIG];
  gex_Event_t lc, root, bulk, now, get;
  char *at = seg(1);
  int sent;
  fill(small, SMALL_PUT, 1);
  fill(big, BIG, 2);
  fill(again, BIG, 3);
  fill(message, LONG, 5);
  GASNET_BLOCKUNTIL(pid);

  root = gex_RMA_PutNB(world, 1, at, small, SMALL_PUT, &lc, 0);
  gex_Event_Wait(lc);
  memset(small, 0xee, SMALL_PUT);
  if (far) CHECK(root != GEX_EVENT_INVALID && gex_Event_Test(root) == GASNET_ERR_NOT_READY);

  /* With a source that stays valid, one that is reusable on return, and a get: each may be rejected, none may block. */
  bulk = gex_RMA_PutNB(world, 1, at + MiB(1), big, BIG, GEX_EVENT_DEFER, GEX_FLAG_IMMEDIATE);
  now = gex_RMA_PutNB(world, 1, at + MiB(2), again, BIG, GEX_EVENT_NOW, GEX_FLAG_IMMEDIATE);
  if (now != GEX_EVENT_NO_OP) memset(again, 0xee, BIG);
  sent = !gex_AM_RequestLong0(world, 1, 201, message, LONG, at + MiB(3), GEX_EVENT_NOW, GEX_FLAG_IMMEDIATE);
  if (sent) memset(message, 0xee, LONG);
  get = gex_RMA_GetNB(world, back, 1, at + MiB(1), BIG, GEX_FLAG_IMMEDIATE);
  if (far && bulk != GEX_EVENT_NO_OP) CHECK_EQ(gex_Event_Test(bulk), GASNET_ERR_NOT_READY);

  kill((pid_t)pid, SIGRTMIN + 4);
  gex_Event_Wait(root);
  if (bulk == GEX_EVENT_NO_OP) bulk = gex_RMA_PutNB(world, 1, at + MiB(1), big, BIG, GEX_EVENT_DEFER, 0);
  if (now == GEX_EVENT_NO_OP) now = gex_RMA_PutNB(world, 1, at + MiB(2), again, BIG, GEX_EVENT_DEFER, 0);
  if (!sent) gex_AM_RequestLong0(world, 1, 201, message, LONG, at + MiB(3), GEX_EVENT_NOW, 0);
  gex_Event_Wait(bulk);
  gex_Event_Wait(now);
  if (get != GEX_EVENT_NO_OP) gex_Event_Wait(get);
  gex_RMA_GetBlocking(world, back, 1, at + MiB(1), BIG, 0);
  CHECK(filled(back, BIG, 2));
}

static void computes(void) {
  sigset_t set;
  int signal;
  sigemptyset(&set);
  sigaddset(&set, SIGRTMIN + 4);
  gex_AM_RequestShort1(world, 0, 200, 0, (gex_AM_Arg_t)getpid());
  /* A lost message is sent again only in calls. */
  GASNET_BLOCKUNTIL(known);
  sigwait(&set, &signal);
  GASNET_BLOCKUNTIL(longs);
}

int main(int argc, char **argv) {
  gex_AM_Entry_t table[] = {CHECK_AM(200, on_pid, SHORT, REQUEST, 1), CHECK_AM(201, on_long, LONG, REQUEST, 0),
                            CHECK_AM(202, on_known, SHORT, REPLY, 0)};
  gex_RankInfo_t *nbrhd;
  gex_Rank_t near, index;
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGRTMIN + 4);
  sigprocmask(SIG_BLOCK, &set, NULL);
  check_start(&argc, &argv, table, 3, MiB(4));
  gex_System_QueryNbrhdInfo(&nbrhd, &near, &index);
  if (me == 0) puts_to_who_computes(near == 1);
  if (me == 1) computes();
  barrier();
  if (me == 1) {
    CHECK(filled((unsigned char *)seg(1), SMALL_PUT, 1));
    CHECK(filled((unsigned char *)seg(1) + MiB(1), BIG, 2));
    CHECK(filled((unsigned char *)seg(1) + MiB(2), BIG, 3));
  }
  return check_end();
}
