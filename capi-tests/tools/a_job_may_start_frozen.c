// With GASNET_FREEZE=1 every rank waits at init and prints the command that continues it; that command works.
// ranks: 1 2
// once: yes
// needs: command -v gdb
// env: GASNET_FREEZE=1
// wrap: sh -c '"$0" 2>"$BUILD/frozen.$$" & job=$!; until [ "$(grep -c "gdb -p" "$BUILD/frozen.$$")" = "$RANKS" ]; do sleep 0.1; done; grep -o "gdb -p.*" "$BUILD/frozen.$$" | sh >"$BUILD/frozen.$$.gdb" 2>&1; wait $job; code=$?; cat "$BUILD/frozen.$$" >&2; rm -f "$BUILD/frozen.$$" "$BUILD/frozen.$$.gdb"; exit $code'
// expect: exit 0; stderr /^\*\*\* Frozen for a debugger: .* .proc 0./
#include "check.h"

int main(int argc, char **argv) {
  check_start(&argc, &argv, NULL, 0, 0);
  return check_end();
}
