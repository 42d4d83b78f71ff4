// In handlers, and with a lock held, a program may query ranks, sizes, limits, client data and pairs.
// ranks: 1 2 3
#include "check_ex.h"

static volatile int seen;
static gex_HSL_t lock = GEX_HSL_INITIALIZER;

static void ask(void) {
  gex_RankInfo_t *info;
  gex_Rank_t count, mine, sets, set;
  CHECK_EQ(gex_TM_QueryRank(world), me);
  CHECK_EQ(gex_TM_QuerySize(world), nranks);
  CHECK_EQ(gex_System_QueryJobRank(), me);
  CHECK_EQ(gex_System_QueryJobSize(), nranks);
  CHECK(gex_TM_QueryEP(world) == endpoint && gex_EP_QuerySegment(endpoint) == segment);
  CHECK(gex_EP_QueryClient(endpoint) == client && gex_Segment_QueryClient(segment) == client);
  CHECK(gex_Segment_QueryAddr(segment) == (void *)seg(me));
  CHECK(gex_TM_QueryCData(world) == (void *)&seen);
  CHECK(gex_TM_Pair(endpoint, 0) == gex_TM_Pair(endpoint, 0));
  CHECK(gex_AM_MaxRequestMedium(world, next_rank(), GEX_EVENT_NOW, 0, 3) >= gex_AM_LUBRequestMedium());
  CHECK(gex_AM_MaxArgs() >= 16);
  gex_System_QueryNbrhdInfo(&info, &count, &mine);
  CHECK_EQ(info[mine].gex_jobrank, me);
  gex_System_QueryHostInfo(&info, &count, &mine);
  CHECK_EQ(info[mine].gex_jobrank, me);
  gex_System_QueryMyPosition(&sets, &set, NULL, NULL);
  CHECK(set < sets);
  gex_System_SetVerboseErrors(gex_System_GetVerboseErrors() != 0);
  CHECK(gex_System_QueryMaxThreads() >= 1);
}
static void on_ask(gex_Token_t token) {
  (void)token;
  ask();
  seen++;
}

int main(int argc, char **argv) {
  gex_AM_Entry_t table[] = {CHECK_AM(200, on_ask, SHORT, REQUEST, 0)};
  check_start(&argc, &argv, table, 1, KiB(64));
  gex_TM_SetCData(world, (void *)(uintptr_t)&seen);
  barrier();
  gex_HSL_Lock(&lock);
  ask();
  gex_HSL_Unlock(&lock);
  gex_AM_RequestShort0(world, next_rank(), 200, 0);
  GASNET_BLOCKUNTIL(seen == 1);
  return check_end();
}
