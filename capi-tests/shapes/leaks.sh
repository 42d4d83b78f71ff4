# Our headers define no names except those with our prefixes, and a few that programs for this interface use.

# Every installed header but gasnet_handler.h, gasnet.h first, and one of a conduit's.
headers="gasnet.h $(cd "$prefix/include" && ls ./*.h | sed 's|^\./||' | grep -vx gasnet_handler.h | tr '\n' ' ') gasnet_core.h"
# The names that the system defines: all system headers that ours include are included first.
for header in ctype errno inttypes limits sched signal stdarg stddef stdint stdio stdlib string sys/param sys/types unistd pthread time; do
  echo "#include <$header.h>"
done >system.h
{ cat system.h; for header in $headers; do echo "#include <$header>"; done; } >ours.h
{ cat ours.h; echo "#include <gasnet_handler.h>"; } >handlers.h
prefixes='^_?_?(GASNET|GASNETT|GASNETI|GASNETE|gasnet|gasnett|gasneti|gasnete|gasnetc|GEX|gex|PLATFORM)_|^SIZEOF_G'
# Of the interface: branch hints, sizes in printf, joining and quoting; macros by which programs test for features.
allowed='if_pf|if_pt|PRI[dux]SZ|_STRINGIFY|_STRINGIFY_HELPER|_CONCAT|_CONCAT_HELPER|HAVE_(MMAP|PTHREAD_H|PTHREAD_SETCONCURRENCY)|SIZEOF_INT|_GASNETEX_H|_GEX_FWD_H|_INCLUDED_GASNET(EX|_TOOLS)?_H|__STDC_(FORMAT|LIMIT|CONSTANT)_MACROS'
handler_names='(SHORT|MEDIUM|LONG)_(HANDLER|HANDLER_DECL|REQ|REP)|LONGASYNC_REQ|PACK|UNPACK2?'

macros() { $compiler $more -dM -E "$1" | awk '{ sub(/\(.*/, "", $2); print $2 }' | sort -u; }
# Functions, variables, types, tags and constants of enumerations at file scope, as clang sees them.
declared() {
  clang -x c $more -fsyntax-only -Xclang -ast-dump -fno-color-diagnostics "$1" |
    sed -nE "s/^[|\`]-(Function|Var|Typedef)Decl .* ([A-Za-z_0-9]+) '.*/\2/p; s/^[|\`]-(Record|Enum)Decl .* (struct|union|>|col:[0-9]+) ([A-Za-z_0-9]+)( definition)?\$/\3/p
      s/^[| ] [|\`]-EnumConstantDecl .* ([A-Za-z_0-9]+) '.*/\1/p" | sort -u
}
# No name of FILE beyond those of BASE is without a prefix, but those that match ALLOWED; there are some with one.
only() { # WHAT BASE FILE ALLOWED
  $1 "$2" >base.names && $1 "$3" >all.names || return 1
  comm -13 base.names all.names >new.names
  [ "$(grep -cE "$prefixes" new.names)" -gt 100 ] || { echo "too few names with a prefix: this test sees nothing"; return 1; }
  ! grep -vE "$prefixes" new.names | grep -vxE "$4"
}
while read -r compiler; do
  for more in "$(flags par)" "$(flags seq) -DGASNET_DEBUG"; do
    case "$compiler $more" in clang*DEBUG*) continue ;; esac
    ok "macros, $compiler" only macros system.h ours.h "$allowed"
  done
done < <(compilers)
compiler="gcc -x c" more=$(flags par)
ok "macros of gasnet_handler.h" only macros system.h handlers.h "$allowed|$handler_names"
for more in "$(flags par)" "$(flags seq) -DGASNET_DEBUG"; do
  ok "functions, types, constants" only declared system.h ours.h '__(start|stop)_gasneti_client|__(atomic|builtin)_.*'
done

# The test detects a leak of each kind.
for leak in '#define LEAK 1' '#define leak(x) x' 'void leak(void);' 'extern int leak;' 'typedef int leak;' 'struct leak { int i; };' 'enum gasnet_leak { LEAK };' 'enum leak { gasnet_leak };'; do
  { cat ours.h; echo "$leak"; } >leaking.h
  case $leak in '#'*) what=macros ;; *) what=declared ;; esac
  no() { ! "$@"; }
  ok "seen: $leak" no only $what system.h leaking.h "$allowed|__(start|stop)_gasneti_client|__(atomic|builtin)_.*"
done
