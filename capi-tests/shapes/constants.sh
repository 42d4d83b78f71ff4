# Clients compare constants in the preprocessor, and pass them to templates, _Generic and printf. constants.txt lists every
# integer constant of the documents that is a macro, and its type. (GEX_MK_CLASS_* and the like are enumerators: in C++ only
# these convert to their types.)
list=$here/constants.txt
headers=$(printf '#include <%s>\n' gasnet.h gasnet_coll.h gasnet_vis.h gasnet_ratomic.h gasnet_mk.h gasnet_tools.h)

{
  echo "$headers"
  cat <<'C'
#ifdef __cplusplus
#include <type_traits>
#pragma GCC diagnostic error "-Wold-style-cast"
#define IS(constant, type) static_assert(std::is_same<decltype(constant), type>::value, #constant)
#else
#define IS(constant, type) _Static_assert(_Generic((constant), type: 1, default: 0), #constant)
#endif
C
  while read -r name type; do
    # Without -Wundef an undefined name is 0 to the preprocessor.
    printf '#ifndef %s\n#error %s is not there\n#elif !(%s == 0 || %s != 0)\n#error %s\n#endif\n' "$name" "$name" "$name" "$name" "$name"
    printf 'IS(%s, %s);\nint is_%s(%s value);\nint is_%s(%s value) { return value == %s; }\n' "$name" "$type" "$name" "$type" "$name" "$type" "$name"
  done <"$list"
  for op in AND OR XOR ADD SUB MULT MIN MAX INC DEC CAS SET; do
    fetching=F$op
    [ $op != SET ] || fetching=SWAP
    printf '#if GEX_OP_TO_FETCHING(GEX_OP_%s) != GEX_OP_%s || GEX_OP_TO_NONFETCHING(GEX_OP_%s) != GEX_OP_%s\n#error %s\n#endif\n' $op $fetching $fetching $op $op
  done
  cat <<'C'
IS(GEX_OP_TO_FETCHING(GEX_OP_ADD), gex_OP_t);
IS(GEX_OP_TO_NONFETCHING(GEX_OP_FADD), gex_OP_t);
#if GEX_OP_ADD & (GEX_OP_SET | GEX_OP_CAS) || GEX_DT_I32 == GEX_DT_U32 || !(GEX_FLAG_AM_MEDLONG & GEX_FLAG_AM_LONG) || GEX_RANK_INVALID < 65535
#error values
#endif
int main(void) {
  gex_OP_t op = GEX_OP_USER_NC;
  gex_EP_Index_t index = GEX_EP_INDEX_INVALID;
  switch (op) {
    case GEX_OP_TO_FETCHING(GEX_OP_ADD): return 1;
    case GEX_OP_USER_NC: break;
    default: return 2;
  }
  op = GEX_OP_MIN;
  if (GEX_OP_TO_FETCHING(op) != GEX_OP_FMIN || GEX_OP_TO_NONFETCHING(GEX_OP_TO_FETCHING(op)) != op) return 3;
  return index != GEX_EP_INDEX_INVALID || GEX_OP_TO_FETCHING(GEX_OP_USER_NC) != 0;
}
C
} >constants.c
for compiler in "gcc -std=c11" "clang -std=c11" "g++ -std=c++11 -x c++" "clang++ -std=c++11 -x c++"; do
  command -v "${compiler%% *}" >/dev/null || continue
  # shellcheck disable=SC2046,SC2086
  ok "$compiler: in #if, and of their types" $compiler -Wall -Wextra -Wsign-compare -Wsign-conversion -Wundef -Werror $(flags par) constants.c -o constants $(libs par)
  ok "$compiler: as values" ./constants
done

# Those of a client's own headers.
{
  echo '#include <gasnet_fwd.h>'
  grep -E '^GEX_(OP|DT|FLAG|EP_CAPABILITY)_|^GEX_RANK' "$list" | while read -r name _; do printf '#if !(%s == 0 || %s != 0)\n#endif\n' "$name" "$name"; done
} >fwd.c
# shellcheck disable=SC2046
ok "gasnet_fwd.h alone" gcc -std=c99 -pedantic -Wundef -Werror $(flags par) -fsyntax-only fwd.c

# No other macro of our headers is an integer to the preprocessor. The compiler's errors name the lines that are not integers.
more_constants() {
  {
    echo "$headers"
    # shellcheck disable=SC2046
    echo "$headers" | gcc $(flags par) -dM -E -x c - | awk '$2 ~ /^(GEX|GASNETT?)_[A-Z0-9_]+$/ && NF > 2 { print $2 }' | sort |
      grep -vE '^GASNETT_(USE|RESTRICT|PREDICT|CONFIG)' | while read -r name; do echo "#if $name == 0 || $name != 0 //$name"; echo '#endif'; done
  } >all.c
  # shellcheck disable=SC2046
  gcc $(flags par) -Wundef -fdiagnostics-plain-output -E all.c 2>&1 >/dev/null | sed -nE 's/^all\.c:([0-9]+):.*/\1/p' | sort -un >none
  awk 'NR == FNR { none[$1]; next } /^#if/ && !(FNR in none) { sub(/.*\/\//, ""); print }' none all.c | sort >integers
  [ "$(wc -l <integers)" -gt 150 ] || { echo "too few constants: this test sees nothing"; return 1; }
  cut -d' ' -f1 "$list" | sort | comm -13 - integers >missing
  [ ! -s missing ] || { cat missing; return 1; }
}
ok "constants.txt has every integer" more_constants
