// If the library cannot allocate memory, one line names the size and the limit that was reached, and the job ends.
// ranks: 2
// once: yes
// env: GASNET_RMA=am
// expect: exit 134; stderr /FATAL ERROR \(proc 1\): out of memory: the library could not get [0-9]+ bytes: .* address space \(ulimit -v\)/; no-stderr /memory allocation of|warden|proc 0|died/
#include "check.h"
#include <sys/resource.h>

int main(int argc, char **argv) {
  check_start(&argc, &argv, NULL, 0, GASNET_PAGESIZE);
  if (me == 1) {
    struct rlimit limit;
    long pages = 0;
    uint64_t i;
    FILE *statm = fopen("/proc/self/statm", "r");
    MUST(statm && fscanf(statm, "%ld", &pages) == 1);
    fclose(statm);
    limit.rlim_cur = limit.rlim_max = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + MiB(1);
    MUST(!setrlimit(RLIMIT_AS, &limit));
    for (i = 0; i < 10000000; i++) (void)gasnet_put_nb(0, seg(0), &i, 8); /* handles that nobody syncs */
    CHECK(!"the limit was never reached");
  }
  for (;;) gasnet_AMPoll();
}
