// A client whose AM handler ends its thread is stopped and told so.
// ranks: 1
// modes: par
// once: yes
// expect: exit 134; stderr /FATAL ERROR \(proc 0\): an AM handler.* ended its thread/
#include "check.h"

static void end_thread(gasnet_token_t token) {
  (void)token;
  pthread_exit(NULL);
}
static void send(int i) {
  (void)i;
  gasnet_AMRequestShort0(0, 200);
}

int main(int argc, char **argv) {
  gasnet_handlerentry_t table[] = { HANDLER(200, end_thread) };
  check_start(&argc, &argv, table, 1, KiB(64));
  on_threads(1, send);
  return check_end();
}
