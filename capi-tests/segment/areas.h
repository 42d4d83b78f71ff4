/* Memory of every kind, of which all ranks know where it is at each: for tests of GASNET_SEGMENT_EVERYTHING, after
 * check.h or check_ex.h. */
#include <sys/mman.h>

enum { AREA = 300000, AREAS = 5 };
static const char *const area_name[AREAS] = { "data", "bss", "heap", "mapping", "stack" };
static char area_data[AREA] = { 1 };
static char area_bss[AREA];
static char *area[64][AREAS]; /* by rank, as its owner sees it */

/* `stack` has AREA bytes. Followed by a barrier, `area` is complete on all ranks. */
static void find_areas(char *stack) {
  unsigned i;
  char **mine = area[me];
  mine[0] = area_data, mine[1] = area_bss, mine[2] = (char *)malloc(AREA), mine[4] = stack;
  mine[3] = (char *)mmap(NULL, AREA, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  MUST(mine[2] != NULL && mine[3] != (char *)MAP_FAILED);
  /* Statics have the same address in all ranks: those of a host are forks of one process, and the tests are linked with -no-pie. */
  for (i = 0; i < nranks; i++) tell_areas(i, &area[me], mine, sizeof area[me]);
  barrier();
}
