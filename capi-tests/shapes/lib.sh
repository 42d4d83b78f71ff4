# Variables and functions of every client shape:
#   dir       its own empty directory, which is the working directory
#   here      the directory of the shapes
#   prefix    where the library is installed
#   conduits  the installed conduits
#   ok LABEL COMMAND...     counts COMMAND (a program or a function) as passed if it returns 0; else shows its output
#   flags MODE [CONDUIT], libs MODE [CONDUIT]      the output of pkg-config (default CONDUIT: smp)
#   ranks N COMMAND...      COMMAND as an smp job of N ranks, with a limit of 60 seconds
#   hello_source            a C client: rank 0 prints `N ranks of GASNET_CONFIG_STRING`
#   compilers               lines `COMPILER OPTIONS`: gcc and clang as C and as C++, if installed
set -u
ulimit -c 0
passed=0 failed=0
prefix=$(pkg-config --variable=GASNET_PREFIX gasnet) || { echo "shapes: pkg-config does not find gasnet: set PKG_CONFIG_PATH to PREFIX/lib/pkgconfig"; exit 1; }
conduits=
for c in smp udp; do [ ! -d "$prefix/include/$c-conduit" ] || conduits="$conduits $c"; done
cd "$dir" || exit 1

ok() {
  local label=$1
  shift
  if "$@" >"$dir/log" 2>&1 </dev/null; then passed=$((passed + 1)); else
    failed=$((failed + 1))
    echo "FAIL $label: $*"
    head -n 12 "$dir/log" | sed 's/^/     | /'
  fi
}
flags() { pkg-config --cflags "gasnet-${2:-smp}-$1"; }
libs() { pkg-config --libs "gasnet-${2:-smp}-$1"; }
ranks() { GASNET_PSHM_NODES=$1 timeout -k 5 60 "${@:2}"; }
hello_source() {
  cat <<'C'
#include <gasnet.h>
#include <stdio.h>
int main(int argc, char **argv) {
  if (gasnet_init(&argc, &argv) || gasnet_attach(NULL, 0, GASNET_PAGESIZE, 0)) return 1;
  if (gasnet_mynode() == 0) printf("%u ranks of %s\n", (unsigned)gasnet_nodes(), GASNET_CONFIG_STRING);
  gasnet_exit(0);
  return 0;
}
C
}
compilers() {
  local line
  for line in "gcc -std=gnu99 -x c" "clang -std=gnu99 -x c" "g++ -std=c++11 -x c++" "clang++ -std=c++11 -x c++"; do
    ! command -v "${line%% *}" >/dev/null || echo "$line"
  done
}
