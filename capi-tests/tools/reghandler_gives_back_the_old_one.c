// A handler runs when its signal comes, also the second time; registering returns the handler before it.
// ranks: 1
#include "tools_check.h"

static volatile int seen;
static void one(int sig) { seen += sig == SIGUSR1; }
static void two(int sig) { seen += 100 * (sig == SIGUSR1); }

int main(void) {
  CHECK(gasnett_reghandler(SIGUSR1, one) == SIG_DFL);
  raise(SIGUSR1), raise(SIGUSR1);
  CHECK_EQ(seen, 2);
  CHECK(gasnett_reghandler(SIGUSR1, two) == one);
  raise(SIGUSR1);
  CHECK_EQ(seen, 102);
  CHECK(gasnett_reghandler(SIGUSR1, SIG_IGN) == two);
  raise(SIGUSR1);
  CHECK_EQ(seen, 102);
  CHECK(gasnett_reghandler(SIGUSR1, SIG_DFL) == SIG_IGN);
  CHECK(!strcmp(gasnett_signame_fromval(SIGSEGV), "SIGSEGV"));
  CHECK(!strcmp(gasnett_signame_fromval(SIGHUP), "SIGHUP"));
  CHECK(gasnett_signame_fromval(9999) == NULL);
  return check_end();
}
