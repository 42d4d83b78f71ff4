// With GASNET_MALLOCFILE each rank of GASNET_MALLOCNODES reports at exit the amount of memory allocated in the checked heap, and where leaked blocks were allocated.
// ranks: 3
// modes: par
// debug: compiled
// env: GASNET_MALLOCFILE=heap-%.txt GASNET_MALLOCNODES=0,2
// expect: exit 0; stdout /rank 0: 2 +80 .*heap_reports_name_what_leaked.c:[0-9]+/; stdout /rank 2: 2 +80 /; stdout /no rank 1/
// wrap: sh -c '"$0" "$@"; code=$?; for i in 0 2; do grep -q "rank $i" heap-$i.txt && sed -n "s/^ */rank $i: /; /leaked.c/p" heap-$i.txt; done; test -e heap-1.txt || echo no rank 1; rm -f heap-?.txt; exit $code'
#include "check.h"
#include <gasnet_tools.h>

int main(int argc, char **argv) {
  int i;
  check_start(&argc, &argv, NULL, 0, 0);
  for (i = 0; i < 3; i++) {
    char *p = (char *)gasnett_debug_malloc(40);
    if (i == 1) gasnett_debug_free(p);
  }
  barrier();
  return check_end();
}
