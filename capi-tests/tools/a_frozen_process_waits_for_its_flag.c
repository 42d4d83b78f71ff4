// gasnett_freezeForDebuggerNow prints the host and process id, and waits until the flag is 0.
// ranks: 1
// modes: par
// once: yes
// expect: exit 0; stderr /:[0-9]+ .proc 0.*capi_flag/
#include "check.h"
#include <gasnet_tools.h>

static volatile int capi_flag, released;
static void *debugger(void *arg) {
  while (!capi_flag) usleep(1000);
  usleep(50000);
  released = 1;
  __sync_synchronize();
  capi_flag = 0;
  return arg;
}

int main(int argc, char **argv) {
  pthread_t thread;
  check_start(&argc, &argv, NULL, 0, 0);
  gasnett_freezeForDebuggerErr(); /* not asked for: returns at once */
  MUST(pthread_create(&thread, NULL, debugger, NULL) == 0);
  gasnett_freezeForDebuggerNow(&capi_flag, "capi_flag");
  CHECK_EQ(released, 1);
  pthread_join(thread, NULL);
  return check_end();
}
