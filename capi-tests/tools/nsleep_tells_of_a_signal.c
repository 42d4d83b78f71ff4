// A signal ends the sleep: not 0, and errno is EINTR.
// ranks: 1
#include "tools_check.h"

static pthread_t sleeper;
static volatile int over;
static void nothing(int sig) { (void)sig; }
static void *prod(void *arg) {
  (void)arg;
  while (!over) {
    usleep(10000);
    pthread_kill(sleeper, SIGUSR1);
  }
  return NULL;
}

int main(void) {
  struct sigaction action;
  pthread_t id;
  int result, error;
  memset(&action, 0, sizeof action);
  action.sa_handler = nothing;
  sigaction(SIGUSR1, &action, NULL);
  sleeper = pthread_self();
  MUST(pthread_create(&id, NULL, prod, NULL) == 0);
  result = gasnett_nsleep((uint64_t)20 * 1000000000);
  error = errno;
  over = 1;
  pthread_join(id, NULL);
  CHECK(result != 0);
  CHECK_EQ(error, EINTR);
  return check_end();
}
