// With GEX_FLAG_DEFER_THREADS the client queries the threads that it has to start: one that sends, where a network has
// one, which sends messages that a rank has queued and that computes meanwhile. Without the flag, an error.
// ranks: 1 2
// modes: par
// every case: chatter
// case defer: chatter
// case no_flag: chatter
// case no_count: chatter
// case no_info: chatter
// case flags: chatter
#include "../check_ex.h"

#include <pthread.h>
#include <signal.h>

enum { MANY = 5 };

static volatile int pid, came;

static void on_pid(gex_Token_t token, gex_AM_Arg_t value) { (void)token; pid = (int)value; }
static void on_one(gex_Token_t token) { (void)token; came++; }

/* Rank 0 sends and makes no call any more until all has come. */
static void messages_leave_without_a_call(void) {
  sigset_t set;
  int i, signal;
  sigemptyset(&set);
  sigaddset(&set, SIGRTMIN + 4);
  if (me == 0) {
    gex_AM_RequestShort1(world, 1, 200, 0, (gex_AM_Arg_t)getpid());
    for (i = 0; i < MANY; i++) gex_AM_RequestShort0(world, 1, 201, 0);
    sigwait(&set, &signal);
  } else {
    GASNET_BLOCKUNTIL(came == MANY && pid);
    kill((pid_t)pid, SIGRTMIN + 4);
  }
}

int main(int argc, char **argv) {
  gex_AM_Entry_t table[] = {CHECK_AM(200, on_pid, SHORT, REQUEST, 1), CHECK_AM(201, on_one, SHORT, REQUEST, 0)};
  const char *name = argc > 1 ? argv[1] : "";
  const gex_ProgressThreadInfo_t *info = NULL;
  gex_RankInfo_t *nbrhd;
  gex_Rank_t near, index;
  unsigned count = 77;
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGRTMIN + 4);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  check_init(&argc, &argv, strcmp(name, "no_flag") ? GEX_FLAG_DEFER_THREADS : 0);
  gex_System_SetVerboseErrors(0);
  if (!strcmp(name, "defer")) {
    CHECK_EQ(gex_System_QueryProgressThreads(client, &count, &info, 0), GASNET_OK);
    gex_System_QueryNbrhdInfo(&nbrhd, &near, &index);
    check_attach(table, 2, MiB(1));
    if (near == nranks) CHECK_EQ(count, 0);
    CHECK(count <= 1);
    if (count == 1) {
      pthread_t thread;
      CHECK_EQ(info->gex_thread_roles, GEX_THREAD_ROLE_SND);
#if !GASNET_SND_THREAD
      CHECK(!"a send thread that GASNET_SND_THREAD does not announce");
#endif
      CHECK(info->gex_device_list && *info->gex_device_list);
      MUST(!pthread_create(&thread, NULL, info->gex_progress_fn, info->gex_progress_arg));
      messages_leave_without_a_call();
    }
  }
  if (!strcmp(name, "no_flag")) CHECK_EQ(gex_System_QueryProgressThreads(client, &count, &info, 0), GASNET_ERR_RESOURCE);
  if (!strcmp(name, "no_count")) CHECK_EQ(gex_System_QueryProgressThreads(client, NULL, &info, 0), GASNET_ERR_BAD_ARG);
  if (!strcmp(name, "no_info")) CHECK_EQ(gex_System_QueryProgressThreads(client, &count, NULL, 0), GASNET_ERR_BAD_ARG);
  if (!strcmp(name, "flags")) CHECK_EQ(gex_System_QueryProgressThreads(client, &count, &info, 1), GASNET_ERR_BAD_ARG);
  return check_end();
}
