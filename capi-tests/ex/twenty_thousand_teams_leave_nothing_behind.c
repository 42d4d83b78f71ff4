// 20000 teams split, used and destroyed need no more memory than 2000.
// ranks: 2 3
// time: 240
#include "check_ex.h"

static long resident_kib(void) {
  char line[256];
  long kib = 0;
  FILE *file = fopen("/proc/self/status", "r");
  MUST(file != NULL);
  while (fgets(line, sizeof line, file)) sscanf(line, "VmRSS: %ld", &kib);
  fclose(file);
  return kib;
}

int main(int argc, char **argv) {
  long before = 0;
  int i;
  check_start(&argc, &argv, NULL, 0, KiB(64));
  for (i = 0; i < 20000; i++) {
    gex_TM_t team;
    gex_TM_Split(&team, world, (int)(me % 2), -(int)me, NULL, 0, GEX_FLAG_TM_NO_SCRATCH);
    CHECK_EQ(gex_TM_QuerySize(team), (nranks + 1 - me % 2) / 2);
    CHECK_EQ(gex_TM_QueryRank(team), gex_TM_QuerySize(team) - 1 - me / 2);
    if (i % 16 == 0) gex_Event_Wait(gex_Coll_BarrierNB(team, 0));
    CHECK_EQ(gex_TM_Destroy(team, NULL, 0), 0);
    if (i == 2000) before = resident_kib();
  }
  CHECK(resident_kib() < before + 2048);
  return check_end();
}
