# Values that configure scripts and installers read from headers as text, with the commands that they use.
config=$prefix/include/gasnet_config.h

# The first line that contains the name, and the first number after a blank in it.
number() { [[ $(grep "$1" "$config" | head -1 | tr '\t' ' ') =~ \ ([0-9]+)$ ]] && echo "${BASH_REMATCH[1]}"; }
# The third word of the lines that contain the name; there is one such line.
third() { awk "/$1/ {print \$3}" "$config" | { read -r value && ! read -r more && [ -n "$value" ] && echo "$value"; }; }
literal() { grep -qE "^#define $1 [0-9]+\$" "$config" && [ "$(grep -cE "^# *define +$1\b" "$config")" = 1 ]; }
for part in MAJOR MINOR; do
  for family in EX_ TOOLS_ ''; do
    ok "GASNETI_${family}SPEC_VERSION_$part is a number on a line of its own" literal "GASNETI_${family}SPEC_VERSION_$part"
    ok "GASNETI_${family}SPEC_VERSION_$part by grep" number "GASNETI_${family}SPEC_VERSION_$part"
  done
  ok "EX_SPEC_VERSION_$part by grep" number "EX_SPEC_VERSION_$part"
done
for part in MAJOR MINOR PATCH; do
  ok "GASNET_RELEASE_VERSION_$part is a number on a line of its own" literal GASNET_RELEASE_VERSION_$part
  ok "GASNET_RELEASE_VERSION_$part by awk" third GASNET_RELEASE_VERSION_$part
done
ok "one line has GASNETI_RELEASE_VERSION" third GASNETI_RELEASE_VERSION
for name in BUILD_ID CONFIGURE_ARGS; do ok "one line has GASNETI_$name" third GASNETI_$name; done

# The compiler sees the same values under the names of the interface.
cat >versions.c <<C
#include <gasnet.h>
#if GEX_SPEC_VERSION_MAJOR != $(number EX_SPEC_VERSION_MAJOR) || GEX_SPEC_VERSION_MINOR != $(number EX_SPEC_VERSION_MINOR)
#error GASNet-EX
#endif
#if GASNET_SPEC_VERSION_MAJOR != $(number GASNETI_SPEC_VERSION_MAJOR) || GASNET_SPEC_VERSION_MINOR != $(number GASNETI_SPEC_VERSION_MINOR)
#error GASNet-1
#endif
#if GASNETT_SPEC_VERSION_MAJOR != $(number TOOLS_SPEC_VERSION_MAJOR) || GASNETT_SPEC_VERSION_MINOR != $(number TOOLS_SPEC_VERSION_MINOR)
#error tools
#endif
#if GASNETT_RELEASE_VERSION_MAJOR != $(third GASNET_RELEASE_VERSION_MAJOR) || GASNETT_RELEASE_VERSION_MINOR != $(third GASNET_RELEASE_VERSION_MINOR) || GASNETT_RELEASE_VERSION_PATCH != $(third GASNET_RELEASE_VERSION_PATCH)
#error release
#endif
_Static_assert(sizeof _STRINGIFY(GASNETI_RELEASE_VERSION) == sizeof "$(third GASNETI_RELEASE_VERSION)", "release");
int main(void) { return strcmp(_STRINGIFY(GASNETI_RELEASE_VERSION), "$(for p in MAJOR MINOR PATCH; do third GASNET_RELEASE_VERSION_$p; done | paste -sd.)"); }
C
# shellcheck disable=SC2046
ok "the versions have one value" gcc -std=c11 -Wall -Wextra -Werror $(flags par) versions.c -o versions $(libs par)
ok "the release is that of its parts" ./versions
