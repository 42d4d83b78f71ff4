# Undocumented names that public programs use: task runtimes, C++ runtimes, benchmarks, mini-MPIs.

cat >uses.c <<'C'
#include <gasnet.h>
#include <gasnet_coll.h>
/* So that compilers do not call them unused. */
static const void *ignore1 __attribute__((__unused__)) = (void *)_gasneti_threadkey_init;
#ifdef _INCLUDED_GASNET_TOOLS_H
static const void *ignore2 __attribute__((__unused__)) = (void *)_gasnett_trace_printf_noop;
#endif
#define CHECK(cond) do { if (!(cond)) { fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #cond); gasnet_exit(1); } } while (0)

/* Benchmarks read the clock by these, and a transactional memory keeps its thread's data by a key. */
GASNETI_THREADKEY_DECLARE(TX_DATA_THREADKEY);
GASNETI_THREADKEY_DEFINE(TX_DATA_THREADKEY);
static int ticks_and_keys(void) {
  uint64_t start = gasneti_ticks_now(), end;
  gasneti_threadkey_set(TX_DATA_THREADKEY, &start);
  if (gasneti_threadkey_get(TX_DATA_THREADKEY) != &start) return 0;
  usleep(2000);
  end = gasneti_ticks_now();
  return gasneti_ticks_to_ns(end - start) >= 2000000 && gasneti_ticks_to_us(end - start) >= 2000;
}

int main(int argc, char **argv) {
  const uint64_t word = UINT64_C(0xfedcba9876543210);
  void *pointer = (void *)&argc;
  gasnete_coll_team_t team;
  char name[256] = "";
  int value = -1, mine;
  CHECK(GASNETI_HIWORD(word) == 0xfedcba98u && GASNETI_LOWORD(word) == 0x76543210u);
  CHECK(GASNETI_MAKEWORD(GASNETI_HIWORD(word), GASNETI_LOWORD(word)) == word);
  CHECK((void *)GASNETI_MAKEWORD(GASNETI_HIWORD(pointer), GASNETI_LOWORD(pointer)) == pointer);
  CHECK(GASNETI_MAKEWORD((int32_t)-1, (int32_t)-2) == UINT64_C(0xfffffffffffffffe)); /* each half is taken as 32 bits */
  CHECK(sizeof GASNETI_HIWORD(word) == 4 && sizeof GASNETI_MAKEWORD(1, 2) == 8);
  CHECK(gethostname(name, sizeof name) == 0 && !strcmp(gasneti_gethostname(), name));
  CHECK(ticks_and_keys());
  _gasneti_threadkey_init();
  _gasnett_trace_printf_noop("%d", 1);
  gasnet_init(&argc, &argv);
  gasnet_attach(NULL, 0, GASNET_PAGESIZE, 0);
  gasnet_coll_init(NULL, 0, NULL, 0, 0);
  team = gasnete_coll_team_all;
  CHECK(team == GASNET_TEAM_ALL);
  mine = 100 + (int)gasnet_mynode();
  gasnet_coll_broadcast(gasnete_coll_team_all, &value, 0, &mine, sizeof mine, GASNET_COLL_IN_ALLSYNC | GASNET_COLL_OUT_ALLSYNC | GASNET_COLL_LOCAL);
  CHECK(value == 100);
  gasnet_exit(0);
}
C
# The same names with gasnetex.h and the tools only.
cat >ex.c <<'C'
#include <gasnetex.h>
#include <gasnet_tools.h>
static const void *ignore1 __attribute__((__unused__)) = (void *)_gasneti_threadkey_init;
static const void *ignore2 __attribute__((__unused__)) = (void *)_gasnett_trace_printf_noop;
int main(void) { return gasneti_gethostname() == NULL; }
C
while read -r compiler; do
  # shellcheck disable=SC2046,SC2086
  ok "$compiler: GASNet-EX and tools" $compiler -Wall -Wextra -Werror $(flags par) -c ex.c -o ex.o
  # shellcheck disable=SC2046,SC2086
  ok "$compiler" $compiler -Wall -Wextra -Werror $(flags par) uses.c -o uses $(libs par)
  ok "$compiler: 2 ranks" ranks 2 ./uses
done < <(compilers)
