/* UCX as a library that has a thread which never sleeps. */
#include <pthread.h>
#include <signal.h>

static void *spin(void *arg) {
  for (;;) __asm__ volatile("" ::: "memory");
  return arg;
}

__attribute__((constructor)) static void start(void) {
  pthread_t thread;
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_create(&thread, NULL, spin, NULL);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}
