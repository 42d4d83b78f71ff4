// A thread that waits for a lock which another holds across a sleep gets it after the unlock.
// ranks: 1 2
// modes: par
#include "check.h"

static gasnet_hsl_t hsl = GASNET_HSL_INITIALIZER;
static int inside, turns;
static void work(int t) {
  int i;
  for (i = 0; i < 5; i++) {
    gasnet_hsl_lock(&hsl);
    CHECK_EQ(__atomic_add_fetch(&inside, 1, 5), 1);
    if (t == 0) usleep(3000);
    turns++;
    __atomic_sub_fetch(&inside, 1, 5);
    gasnet_hsl_unlock(&hsl);
  }
}

int main(int argc, char **argv) {
  check_start(&argc, &argv, NULL, 0, 0);
  on_threads(5, work);
  CHECK_EQ(turns, 25);
  return check_end();
}
