# A task runtime's configure looks for each conduit by AC_SEARCH_LIBS: a C++ program that declares gasnetc_AMPoll
# itself and is only linked, with the libraries of old releases: -lrt, and -lamudp for udp.

cat >conftest.cpp <<'C'
#ifdef __cplusplus
extern "C"
#endif
char gasnetc_AMPoll();
int main() { return gasnetc_AMPoll(); }
C
probe() { # CONDUIT LIBRARY...
  local conduit=$1 amudp=
  shift
  [ "$conduit" != udp ] || amudp=-lamudp
  # shellcheck disable=SC2086
  g++ -o conftest -DGASNET_PAR -isystem "$prefix/include" -I"$prefix/include/$conduit-conduit" conftest.cpp \
    -L"$prefix/lib" -Wl,-rpath,"$prefix/lib" "$@" -pthread -lrt $amudp
}
without_it_fails() { ! probe "$1"; }
for c in $conduits; do
  ok "no library, no function: $c" without_it_fails "$c"
  ok "gasnet-$c-par has it" probe "$c" "-lgasnet-$c-par"
  [ "$c" != udp ] || ok "-lamudp adds nothing, and may stand first" g++ -o conftest conftest.cpp -L"$prefix/lib" -lamudp "-lgasnet-$c-par" -pthread
done

# The function that the probe finds polls, like gasnet_AMPoll.
cat >polls.c <<'C'
#include <gasnet.h>
extern int gasnetc_AMPoll(void);
static volatile int came;
static void handler(gasnet_token_t token) { (void)token, came = 1; }
int main(int argc, char **argv) {
  gasnet_handlerentry_t table[] = {{200, (void (*)())handler}};
  gasnet_init(&argc, &argv);
  gasnet_attach(table, 1, GASNET_PAGESIZE, 0);
  gasnet_AMRequestShort0((gasnet_mynode() + 1) % gasnet_nodes(), 200);
  while (!came) if (gasnetc_AMPoll() != GASNET_OK) gasnet_exit(1);
  gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
  gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS);
  gasnet_exit(0);
}
C
# shellcheck disable=SC2046
ok "a client of it" gcc $(flags par) polls.c -o polls $(libs par)
ok "it polls" ranks 2 ./polls
