// ranks: 2
// modes: par
// once: yes
// time: 120
// cflags: -DGASNET_DEBUGMALLOC
// wrap: bash $here/exit/handlers_check
/* A job that ends while a thread of it is inside malloc: handlers WHO WHAT [OTHERS]
     WHO     the rank that acts inside malloc, or "all"
     WHAT    exit:N      a handler of the client calls gasnet_exit(N)
             signal:N    the signal arrives, and the library handles it
             fatal       a handler of the client calls gasnett_fatalerror
             puts:N      as exit:N, with puts, gets and messages of this rank in flight
             stuck:N     as puts:N, and the wait for the network never returns
             sends:N     as exit:N, in the first malloc that the library itself calls to send something, with its locks held
             thread:N    the same in another thread, in its first call of the library
             hang        stays there for ever: another rank ends the job
             asked       SIGUSR2 arrives twice, then the rank calls gasnet_exit(0) outside handlers
             own:N       as exit:N, but the handler returns to code of this program, not of the C library (x86-64)
             storm:N     a timer's handler calls gasnet_exit(N) at any point: in malloc, in puts, in messages
     OTHERS  the action of the other ranks: poll (default) exit:N (soon) killed:N (soon, by itself) abort fatal
             late:N (a request to the rank that acts once that has left, then exit:N)
   malloc has one lock here, which no thread may take twice; a thread that allocates from the C library while it holds
   the lock would wait for ever; the program reports this instead. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <execinfo.h>
#include <gasnet.h>
#include <gasnet_tools.h>
#include <malloc.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);
void __libc_free(void *);

static volatile int locked; /* the thread that holds the lock */
static __thread volatile int busy __attribute__((tls_model("initial-exec")));
/* For this thread only: threads of the library call malloc, too, and have all signals blocked. */
static __thread void (*volatile inside)(void) __attribute__((tls_model("initial-exec")));

static void enter(const char *call) {
  if (busy) {
    void *frames[40];
    char text[100];
    int n = snprintf(text, sizeof text, "ERROR: %s in a handler over malloc\n", call);
    if (write(2, text, (size_t)n)) {}
    backtrace_symbols_fd(frames, backtrace(frames, 40), 2);
    _exit(99);
  }
  busy = 1;
  while (__atomic_exchange_n(&locked, 1, __ATOMIC_ACQUIRE)) usleep(100);
  if (inside) {
    void (*act)(void) = inside;
    inside = NULL;
    act();
  }
}

static void leave(void) {
  __atomic_store_n(&locked, 0, __ATOMIC_RELEASE);
  busy = 0;
}

void *malloc(size_t n) { void *at; enter("malloc"); at = __libc_malloc(n); leave(); return at; }
void *calloc(size_t n, size_t m) { void *at; enter("calloc"); at = __libc_calloc(n, m); leave(); return at; }
void *realloc(void *old, size_t n) { void *at; enter("realloc"); at = __libc_realloc(old, n); leave(); return at; }
void *memalign(size_t a, size_t n) { void *at; enter("memalign"); at = __libc_memalign(a, n); leave(); return at; }
void *aligned_alloc(size_t a, size_t n) { return memalign(a, n); }
int posix_memalign(void **to, size_t a, size_t n) { *to = memalign(a, n); return *to ? 0 : 12; }
void free(void *at) { if (!at) return; enter("free"); __libc_free(at); leave(); }
struct mallinfo2 mallinfo2(void) { struct mallinfo2 none; enter("mallinfo2"); memset(&none, 0, sizeof none); leave(); return none; }

static volatile int stuck;
int ppoll(struct pollfd *files, nfds_t n, const struct timespec *time, const sigset_t *mask) {
  while (stuck) pause();
  return (int)syscall(SYS_ppoll, files, n, time, mask, 8);
}

enum { NOP = 200, ECHO, NOTHING, OUT };
static int code, number, flood;
static volatile unsigned out;
static char *mine, *theirs;

static void nop(gasnet_token_t token, void *buf, size_t n) { (void)token, (void)buf, (void)n; }
static void on_out(gasnet_token_t token) { (void)token, out++; }
static void echo(gasnet_token_t token, void *buf, size_t n) { gasnet_AMReplyMedium0(token, NOTHING, buf, n); }

static void exits(int sig) { (void)sig; gasnet_exit(code); }
#ifdef __x86_64__
void returns(void);
__asm__(".text\n.globl returns\nreturns: mov $15, %eax\nsyscall\n");
static void catches_and_returns(int sig) {
  struct { void (*handler)(int); unsigned long flags; void (*restorer)(void); unsigned long mask; } act = {exits, 0x04000000 /* SA_RESTORER */, returns, 0};
  if (syscall(SYS_rt_sigaction, sig, &act, NULL, sizeof act.mask)) gasnet_exit(95);
}
#else
static void catches_and_returns(int sig) { signal(sig, exits); }
#endif
static void fails(int sig) { (void)sig; gasnett_fatalerror("no way on, says rank %d", (int)gasnet_mynode()); }
static void raise_it(void) { raise(number); }
static void hang(void) { for (;;) pause(); }
static void asks(void) { raise(SIGUSR2); }

static int is(const char *a, const char *b) { return !strcmp(a, b); }
static int with(const char *text, const char *name) {
  size_t n = strlen(name);
  if (strncmp(text, name, n) || text[n] != ':') return 0;
  code = atoi(text + n + 1);
  return 1;
}

static void traffic(void) {
  static char block[20000];
  gasnet_node_t to = (gasnet_mynode() + 1) % gasnet_nodes();
  int i;
  for (i = 0; i < 20; i++) {
    gasnet_AMRequestMedium0(to, NOP, block, (size_t)(100 + 700 * i));
    gasnet_AMRequestMedium0(to, ECHO, block, 5000);
    gasnet_put_nbi_bulk(to, theirs, block, 4000);
    gasnet_get_nbi_bulk(mine, to, theirs + 8192, 4000);
  }
}

static void *first_call(void *unused) {
  inside = raise_it;
  gasnet_AMPoll();
  free(malloc(10));
  return unused;
}

/* Calls malloc most of the time, and otherwise the library. */
static void work(void) {
  void *blocks[64] = {NULL};
  unsigned i, seed = 7;
  for (i = 0;; i++) {
    seed = seed * 1664525 + 1013904223;
    free(blocks[i % 64]);
    blocks[i % 64] = malloc(seed >> 18);
    if (flood && i % 64 == 0) traffic();
  }
}

int main(int argc, char **argv) {
  gasnet_handlerentry_t table[] = {{NOP, (void (*)(void))nop}, {ECHO, (void (*)(void))echo}, {NOTHING, (void (*)(void))nop}, {OUT, (void (*)(void))on_out}};
  gasnet_seginfo_t segments[64];
  const char *what, *others;
  struct itimerval timer = {{0, 0}, {0, 0}};
  int acts, i;
  gasnet_init(&argc, &argv);
  gasnet_attach(table, 4, 65536, 0);
  if (argc < 3) gasnet_exit(98);
  gasnet_getSegmentInfo(segments, (int)gasnet_nodes());
  mine = segments[gasnet_mynode()].addr;
  theirs = segments[(gasnet_mynode() + 1) % gasnet_nodes()].addr;
  what = argv[2];
  others = argc > 3 ? argv[3] : "poll";
  acts = is(argv[1], "all") || atoi(argv[1]) == (int)gasnet_mynode();
  if (!gasnett_debug_malloc(100)) gasnet_exit(96); /* so that the debugging heap writes a report at the end */
  gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
  gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS);
  /* A rank that never polls again does not resend messages of the barrier, so the others must have left it. */
  if (!acts) gasnet_AMRequestShort0((gasnet_node_t)atoi(argv[1]), OUT);
  else if (!is(argv[1], "all")) GASNET_BLOCKUNTIL(out == gasnet_nodes() - 1);
  else
    for (i = 0; i < (getenv("GASNET_UDP_FAULTS") ? 500 : 30); i++) usleep(1000), gasnet_AMPoll();
  if (acts) {
    signal(SIGUSR1, exits);
    number = SIGUSR1;
    if (with(what, "exit")) inside = raise_it;
    else if (with(what, "own")) catches_and_returns(number), inside = raise_it;
    else if (with(what, "signal")) number = code, inside = raise_it;
    else if (is(what, "fatal")) signal(SIGUSR1, fails), inside = raise_it;
    else if (with(what, "puts")) traffic(), inside = raise_it;
    else if (with(what, "stuck")) traffic(), stuck = 1, inside = raise_it;
    else if (with(what, "sends")) {
      inside = raise_it;
      traffic();
    } else if (with(what, "thread")) {
      pthread_t thread;
      pthread_create(&thread, NULL, first_call, NULL);
      pthread_join(thread, NULL);
    } else if (is(what, "hang")) inside = hang;
    else if (is(what, "asked")) {
      inside = asks;
      free(malloc(10));
      inside = asks;
      free(malloc(10));
      gasnet_exit(0);
    } else if (with(what, "storm")) {
      signal(SIGALRM, exits);
      flood = 1;
      timer.it_value.tv_usec = 1000 + getpid() % 97 * 211;
      setitimer(ITIMER_REAL, &timer, NULL);
    } else
      gasnet_exit(97);
    work();
  }
  /* Waits a little, longer for a backtrace. Polls, so that lost messages are sent again. */
  for (i = 0; i < (strncmp(what, "signal:", 7) ? 100 : 1500); i++) usleep(1000), gasnet_AMPoll();
  if (with(others, "exit")) gasnet_exit(code);
  if (with(others, "late")) {
    for (i = 0; i < 20; i++) gasnet_AMRequestMedium0((gasnet_node_t)atoi(argv[1]), NOP, mine, 100), usleep(1000);
    gasnet_exit(code);
  }
  if (with(others, "killed")) kill(getpid(), code);
  if (is(others, "abort")) abort();
  if (is(others, "fatal")) gasnett_fatalerror("no way on, says rank %d", (int)gasnet_mynode());
  for (;;) gasnet_AMPoll();
}
