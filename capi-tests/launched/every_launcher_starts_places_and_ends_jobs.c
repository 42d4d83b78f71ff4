// Every launcher that is installed, on one node with smp and on two with udp: placements, output, input, exit codes, deaths, signals and
// settings. The script `table` starts the jobs and judges them; it prints the rows of the table of docs/launching.md.
// ranks: 4
// modes: par
// once: yes
// time: 240
// expect: exit 0; stdout /all is as it should be/
// needs: command -v mpiexec.hydra || command -v mpirun.openmpi || command -v srun
// wrap: bash $here/launched/table
#include "check.h"
#include <gasnetex.h>
#include <signal.h>

enum { LINES = 100 };

/* Says which ranks are on this one's host, and which share memory with it. */
static void where(void) {
  gex_RankInfo_t *info;
  gex_Rank_t count, i;
  char line[400];
  int at = snprintf(line, sizeof line, "rank %d on", (int)gasnet_mynode());
  gex_System_QueryHostInfo(&info, &count, NULL);
  for (i = 0; i < count; i++) at += snprintf(line + at, sizeof line - (size_t)at, "%c%d", i ? ',' : ' ', (int)info[i].gex_jobrank);
  gex_System_QueryNbrhdInfo(&info, &count, NULL);
  at += snprintf(line + at, sizeof line - (size_t)at, " with");
  for (i = 0; i < count; i++) at += snprintf(line + at, sizeof line - (size_t)at, "%c%d", i ? ',' : ' ', (int)info[i].gex_jobrank);
  puts(line);
}

int main(int argc, char **argv) {
  char what[20], fill[101];
  int i;
  snprintf(what, sizeof what, "%s", argc > 1 ? argv[1] : "where");
  setvbuf(stdout, NULL, _IOLBF, 0);
  check_start(&argc, &argv, NULL, 0, KiB(64));
  barrier();
  if (!strcmp(what, "where")) where();
  if (!strcmp(what, "lines")) {
    memset(fill, 'a' + (int)gasnet_mynode(), 100);
    fill[100] = 0;
    for (i = 0; i < LINES; i++) printf("%d %d %s.\n", (int)gasnet_mynode(), i, fill);
  }
  if (!strcmp(what, "input") && gasnet_mynode() == 0) {
    int bytes = 0;
    while (getchar() != EOF) bytes++;
    printf("rank %d read %d\n", (int)gasnet_mynode(), bytes);
  }
  if (!strcmp(what, "exit") && gasnet_mynode() == 1) gasnet_exit(5);
  if (!strcmp(what, "die") && gasnet_mynode() == 1) raise(SIGKILL);
  if (!strcmp(what, "wait")) puts("here");
  while (!strcmp(what, "exit") || !strcmp(what, "die") || !strcmp(what, "wait")) gasnet_AMPoll();
  barrier();
  fflush(stdout);
  gasnet_exit(0);
  return 1;
}
