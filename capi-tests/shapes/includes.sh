# What clients include, and what they expect to come along with it.

cat >tools.c <<'C'
#include <gasnet.h>
int main(void) {
  gasnett_tick_t start = gasnett_ticks_now();
  return gasnett_ticks_now() < start;
}
C
while read -r compiler; do
  # shellcheck disable=SC2046,SC2086
  ok "gasnet.h brings gasnet_tools.h: $compiler" $compiler -Wall -Wextra -Werror $(flags par) -c tools.c -o tools.o
done < <(compilers)
