// GASNET_RCV_THREAD gives a GASNET_PAR client a thread that runs handlers: the library starts it, or the client does after
// GEX_FLAG_DEFER_THREADS, or ends without, and queries tell. A client in another mode is told that it has none. A rank leaves while messages come. A handler that
// crashes on that thread is reported.
// ranks: 2
// every case: chatter
// case started: chatter
// case deferred: chatter
// case unstarted: chatter
// case off: chatter
// case limited: chatter
// case leaves: exit 7; chatter
// case crashes: exit nonzero; stderr /Caught a fatal signal .proc 0.: SIGSEGV/
#include "check_ex.h"

#include <pthread.h>

#ifdef GASNET_PAR
enum { HAS = 1 };
#else
enum { HAS = 0 };
#endif
#if GASNET_RCV_THREAD + 0 != GASNET_HIDDEN_AM_CONCURRENCY_LEVEL
#error the constants of receive threads differ
#endif

static int came;
static volatile int crashes;
static int *volatile nowhere;

static void on_one(gex_Token_t token) {
  (void)token;
  if (crashes) *nowhere = 1;
  __atomic_add_fetch(&came, 1, __ATOMIC_ACQ_REL);
}

static void compute_until(int wanted) {
  while (__atomic_load_n(&came, __ATOMIC_ACQUIRE) < wanted) {
    volatile int work;
    for (work = 0; work < 1000; work++) {}
  }
}

int main(int argc, char **argv) {
  gex_AM_Entry_t table[] = {CHECK_AM(200, on_one, SHORT, REQUEST, 0)};
  const char *name = argc > 1 ? argv[1] : "";
  const int unstarted = !strcmp(name, "unstarted"), deferred = unstarted || !strcmp(name, "deferred"), off = !strcmp(name, "off"), limited = !strcmp(name, "limited");
  unsigned count = 0, i, receive = 0;
  pthread_t thread;
  setenv("GASNET_RCV_THREAD", off ? "0" : "1", 1);
  setenv("GASNET_QUIET", "1", 1);
  if (limited) {
    setenv("GASNET_MAX_THREADS", "1", 1);
    setenv("GASNET_RCV_THREAD_RATE", "1000", 1);
    setenv("GASNET_RCV_THREAD_IDLE", "20000", 1);
  }
  check_init(&argc, &argv, deferred ? GEX_FLAG_DEFER_THREADS : 0);
  CHECK_EQ(gex_System_QueryHiddenAMConcurrencyLevel(), HAS && !off);
  if (limited) CHECK_EQ(gex_System_QueryMaxThreads(), 1);
  check_attach(table, 1, MiB(1));
  if (deferred) {
    const gex_ProgressThreadInfo_t *info = NULL;
    CHECK_EQ(gex_System_QueryProgressThreads(client, &count, &info, 0), GASNET_OK);
    for (i = 0; i < count; i++) {
      CHECK(info[i].gex_device_list && *info[i].gex_device_list);
      receive += info[i].gex_thread_roles == GEX_THREAD_ROLE_RCV;
      if (!unstarted) MUST(!pthread_create(&thread, NULL, info[i].gex_progress_fn, info[i].gex_progress_arg));
    }
    CHECK_EQ(receive, HAS);
  }
  crashes = me == 0 && !strcmp(name, "crashes");
  barrier();
  gex_AM_RequestShort0(world, next_rank(), 200, 0);
  if (HAS && !off && !unstarted) compute_until(1);
  else GASNET_BLOCKUNTIL(came == 1);
  if (!strcmp(name, "leaves")) {
    barrier();
    for (i = 0; me != 0 || i < 1000; i++) gex_AM_RequestShort0(world, next_rank(), 200, 0);
    gasnet_exit(7);
  }
  return check_end();
}
