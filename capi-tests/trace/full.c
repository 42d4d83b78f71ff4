// A trace or report that cannot be written (full disk, closed pipe) causes one warning per rank; the job continues and its exit code does not change.
// ranks: 2
// once: yes
// time: 120
// wrap: bash $here/trace/full_check
#include "check.h"

int main(int argc, char **argv) {
  int i, code = argc > 1 ? atoi(argv[1]) : 0;
  char buf[64] = {0};
  check_start(&argc, &argv, NULL, 0, GASNET_PAGESIZE);
  for (i = 0; i < 3000; i++) gasnet_put_nbi(next_rank(), seg(next_rank()), buf, 64); /* more than a buffer of trace */
  gasnet_wait_syncnbi_all();
  barrier();
  check_verdict();
  barrier();
  gasnet_exit(code);
}
