# Headers that clients include, and names that they expect from them: each of our headers alone also declares names of system headers.

# $1: the line that includes; one name of each header of the system, and MIN and MAX.
uses() {
  cat <<C
$1
int use(const char *text, volatile int *stop);
int use(const char *text, volatile int *stop) {
  pid_t self = getpid();                               /* unistd.h, sys/types.h */
  char path[MAXPATHLEN];                               /* sys/param.h */
  errno = 0;                                           /* errno.h */
  snprintf(path, sizeof path, "%s %" PRIu64, text, UINT64_C(1)); /* stdio.h, inttypes.h */
  if (isdigit((unsigned char)path[0])) *stop = atoi(path);       /* ctype.h, stdlib.h */
  if (strlen(path) > INT_MAX) raise(SIGTERM);          /* string.h, limits.h, signal.h */
  while (!*stop) sched_yield();                        /* sched.h */
#if !defined(GASNET_SEQ)
  { time_t now = time(NULL);                           /* time.h */
    pthread_t thread = pthread_self();                 /* pthread.h */
    if (!pthread_equal(thread, thread) || !now) abort(); }
#endif
  return MIN(MAX(self, 1), 2);
}
int main(void) { volatile int stop = 1; return use("1", &stop) < 0; }
C
}
uses '#include <gasnet.h>' >gasnet.c
uses '#include <gasnetex.h>' >gasnetex.c
uses '#include <gasnet_tools.h>' >tools.c

# A client's own MIN and MAX stay, and so do those of sys/param.h.
cat >own.c <<'C'
#define MIN(a, b) 77
#define MAX(a, b) 78
#include <gasnet.h>
#include <gasnet_coll.h>
#if MIN(1, 2) != 77 || MAX(1, 2) != 78
#error MIN and MAX are those of the client
#endif
int main(void) { return 0; }
C
cat >param.c <<'C'
#include <sys/param.h>
#include <gasnet.h>
#if MIN(1, 2) != 1 || MAX(1, 2) != 2
#error MIN and MAX are not those of sys/param.h
#endif
int main(void) { return 0; }
C

# gasnet.h includes the tools, with the thread mode of the program.
cat >with_tools.c <<'C'
#include <gasnet.h>
#ifndef _INCLUDED_GASNET_TOOLS_H
#error gasnet.h brings gasnet_tools.h
#endif
#ifndef gasnett_fatalerror_nopos
#error clients ask with ifdef whether gasnett_fatalerror_nopos is there
#endif
#if defined(GASNET_SEQ) ? !defined(GASNETT_THREAD_SINGLE) || defined(GASNETT_THREAD_SAFE) : !defined(GASNETT_THREAD_SAFE)
#error the tools follow the thread mode
#endif
static gasnett_mutex_t mutex = GASNETT_MUTEX_INITIALIZER;
GASNETT_THREADKEY_DEFINE(key);
static volatile long count;
static void *work(void *unused) {
  int i;
  (void)unused;
  gasnett_threadkey_set(key, (void *)&count);
  for (i = 0; i < 20000; i++) {
    gasnett_mutex_lock(&mutex);
    count = count + 1;
    gasnett_mutex_unlock(&mutex);
  }
  return gasnett_threadkey_get(key);
}
int main(int argc, char **argv) {
  gasnett_tick_t start = gasnett_ticks_now();
  long want = 20000;
#ifdef GASNET_PAR
  pthread_t threads[3];
  int i;
  for (i = 0; i < 3; i++) if (pthread_create(&threads[i], NULL, work, NULL)) return 2;
  for (i = 0; i < 3; i++) if (pthread_join(threads[i], NULL)) return 3;
  want = 80000;
#endif
  if (work(NULL) != (void *)&count || count != want) gasnett_fatalerror_nopos("count is %ld, wanted %ld", (long)count, want);
  if (gasnett_ticks_now() < start) return 4;
  gasnet_init(&argc, &argv);
  gasnet_attach(NULL, 0, GASNET_PAGESIZE, 0);
  gasnet_exit(0);
}
C
# As older runtimes do it: all in a block of extern "C"; and the tools once more, after gasnetex.h and before gasnet.h.
cat >block.c <<'C'
#ifdef __cplusplus
extern "C" {
#endif
#include <gasnet_handler.h>
#include <gasnet_tools.h>
#include <gasnet_coll.h>
#ifdef __cplusplus
}
#include <string>
#endif
int main(void) { return 0; }
C
cat >between.c <<'C'
#include <gasnetex.h>
#include <gasnet_tools.h>
#include <gasnet.h>
#ifndef gasnett_format_putvgetv
#error the forms of GASNet-1 come with gasnet.h
#endif
int main(void) { return 0; }
C

warnings="-Wall -Wextra -Werror -Wundef"
while read -r compiler; do
  for mode in seq par parsync; do
    # shellcheck disable=SC2046,SC2086
    ok "$compiler, $mode: gasnet.h brings the system's headers" $compiler $warnings $(flags $mode) -fsyntax-only gasnet.c
  done
  for file in gasnetex tools own param block between; do
    # shellcheck disable=SC2046,SC2086
    ok "$compiler: $file.c" $compiler $warnings $(flags par) -fsyntax-only $file.c
  done
  for mode in seq par parsync; do
    case "$compiler $mode" in gcc*seq | gcc*parsync | *++*par) ;; *) continue ;; esac
    # shellcheck disable=SC2046,SC2086
    ok "$compiler, $mode: gasnet.h brings the tools" $compiler $warnings $(flags $mode) with_tools.c -o with_tools $(libs $mode)
    ok "$compiler, $mode: the tools that gasnet.h brought" ranks 1 ./with_tools
  done
done < <(compilers)

# Wrong includes cause one error line.
refused() { # PATTERN FLAGS... FILE
  local pattern=$1
  shift
  ! gcc $(flags par) -fsyntax-only "$@" 2>refused.log && grep -E 'error: #error' refused.log | grep -qE "$pattern"
}
printf '#include <gasnet_tools.h>\n#include <gasnet.h>\n' >late.c
ok "the tools first: the compiler says which order is right" refused 'before gasnet_tools.h' late.c
ok "GASNET_PAR without threads: the compiler says what contradicts" refused 'GASNETT_THREAD_SINGLE' -DGASNETT_THREAD_SINGLE own.c
