// Undocumented names that PGAS runtimes use are available and have the expected effect.
// ranks: 1 2 3
/* Before the header: a macro of a runtime that has handled its own memory. */
#define GASNETE_PUTGET_ALWAYSREMOTE 1
#include "check.h"

#include <gasnet_coll.h>
#include <sched.h>

#if !GASNETE_PUTGET_ALWAYSREMOTE
#error what the client says stays
#endif
#if !defined(GASNETI_MAX_THREADS) || GASNETI_MAX_THREADS < 1
#error the number of threads is a number
#endif
#if !GASNETI_LAZY_BEGINFUNCTION
#error GASNET_BEGIN_FUNCTION costs nothing
#endif

static char threads[GASNETI_MAX_THREADS];

/* A runtime caches the thread in a variable of that name, or of its own. */
static gasnet_threadinfo_t of_thread(void) {
  GASNET_BEGIN_FUNCTION();
  return gasnete_threadinfo_cache;
}
static int posted(gasnet_threadinfo_t info) {
  GASNET_POST_THREADINFO(info);
  char word[8] = "threads";
  gasnet_put(me, seg(me), word, sizeof word);
  return memcmp(seg(me), "threads", 8) == 0;
}

static gasnet_threadinfo_t infos[3];
static volatile int took;
static void take(int i) {
  infos[i] = of_thread();
  threads[i] = 1;
  /* A thread that has ended may leave its place to the next. */
  for (__atomic_fetch_add(&took, 1, __ATOMIC_SEQ_CST); took % 3;) sched_yield();
  CHECK(infos[i] == of_thread() && infos[i] == GASNET_GET_THREADINFO());
}

int main(int argc, char **argv) {
  gasnet_team_handle_t team;
  gasnet_seginfo_t scratch = {NULL, 0};
  uint64_t value = 5, got = 0;
  gasnet_node_t i;
  check_start(&argc, &argv, NULL, 0, KiB(64));
  CHECK_EQ(sizeof threads, GASNETI_MAX_THREADS);
  CHECK_EQ(gasneti_nodes, nranks);
  CHECK_EQ(gasneti_mynode, me);
  CHECK(gasnet_AMMaxMedium() >= 65000);
  CHECK(posted(of_thread()));
  /* A client that declares all memory remote can still access its own. */
  gasnet_put_val(me, seg(me), value, sizeof value);
  gasnet_get(&got, me, seg(me), sizeof got);
  CHECK_EQ(got, 5);
#ifndef GASNET_SEQ
  on_threads(3, take);
  CHECK(infos[0] != infos[1] && infos[1] != infos[2]);
  CHECK(threads[0] && threads[2]);
#else
  took = 2, take(0);
#endif

  gasnet_coll_init(NULL, 0, NULL, 0, 0);
  team = gasnete_coll_team_split(GASNET_TEAM_ALL, me % 2, nranks - me, &scratch GASNETE_THREAD_GET);
  CHECK_EQ(gasnete_coll_team_size(team), (nranks + 1 - me % 2) / 2);
  for (i = 0; i < gasnete_coll_team_size(team); i++) {
    gasnet_node_t node = gasnete_coll_team_rank2node(team, (int)i);
    CHECK_EQ(node % 2, me % 2);
    CHECK_EQ(gasnete_coll_team_node2rank(team, node), i);
  }
  CHECK_EQ(gasnete_coll_team_size(GASNET_TEAM_ALL), nranks);
  gasnete_coll_team_free(team);
  if (check_rank < 0) gasneti_fatalerror("rank %d has no %s", check_rank, "number");
  return check_end();
}
