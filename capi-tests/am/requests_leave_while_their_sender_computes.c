// Requests that a rank has sent arrive although it makes no call afterwards: it computes until their effect is seen
// outside the library. (A message that the network loses is sent again by the sender's next call.)
// ranks: 2
// needs: test -z "${GASNET_UDP_FAULTS-}"
#include "check.h"

enum { COUNT = 9, PATH = 256 };
static char path[PATH];
static int came;

static void named(gasnet_token_t t, void *buf, size_t n) { (void)t; memcpy(path, buf, n < PATH ? n : PATH - 1); }
static void counted(gasnet_token_t t) {
  (void)t;
  if (++came % COUNT == 0) unlink(path);
}

int main(int argc, char **argv) {
  gasnet_handlerentry_t table[] = { HANDLER(200, named), HANDLER(201, counted) };
  int round, i, fd;
  check_start(&argc, &argv, table, 2, KiB(64));
  for (round = 1; round <= 5; round++) {
    if (gasnet_mynode() == 0) {
      const char *dir = getenv("TMPDIR");
      char mine[PATH];
      MUST((size_t)snprintf(mine, PATH, "%s/gasnet-test-XXXXXX", dir ? dir : P_tmpdir) < PATH);
      MUST((fd = mkstemp(mine)) >= 0);
      close(fd);
      CHECK(gasnet_AMRequestMedium0(1, 200, mine, PATH) == GASNET_OK);
      barrier();
      for (i = 0; i < COUNT; i++) CHECK(gasnet_AMRequestShort0(1, 201) == GASNET_OK);
      while (access(mine, F_OK) == 0) usleep(1000);
    } else {
      barrier();
      if (gasnet_mynode() == 1) GASNET_BLOCKUNTIL(came == round * COUNT);
    }
    barrier();
  }
  return check_end();
}
