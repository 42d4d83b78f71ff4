# A task runtime of 2018 compiles as C++98, and old benchmarks as C99: every header compiles as both, in every mode.

cat >every.c <<'C'
#include <gasnet.h>
#include <gasnet_tools.h>
#include <gasnet_coll.h>
#include <gasnet_vis.h>
#include <gasnet_ratomic.h>
#include <gasnet_mk.h>
#include <gasnet_handler.h>
int main(int argc, char **argv) {
  gasnet_init(&argc, &argv);
  gasnet_attach(0, 0, GASNET_PAGESIZE, 0);
  gasnet_exit(gasnet_AMPoll());
  return 0;
}
C
for compiler in "gcc -std=c99 -x c" "clang -std=c99 -x c" "g++ -std=c++98 -x c++" "g++ -std=gnu++98 -x c++" "clang++ -std=c++98 -x c++"; do
  command -v "${compiler%% *}" >/dev/null || continue
  for mode in seq par parsync; do
    # shellcheck disable=SC2046,SC2086
    ok "$compiler: $mode" $compiler -Wall -Wextra -Werror $(flags $mode) every.c -x none -o every $(libs $mode)
  done
  ok "$compiler: it runs" ranks 2 ./every
done
