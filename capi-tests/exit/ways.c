// ranks: 1 2 4
// once: yes
// time: 300
// wrap: bash $here/exit/check
/* A job that ends in the way that its arguments select:
     ways WHEN WHO ACTION OTHERS
   WHEN    init: between gasnet_init and gasnet_attach; attach: after it
   WHO     the rank that acts, or "all"
   ACTION  exit:N return:N libexit:N _exit:N  quick_exit:N atexit:N thread:N threads:N handler:N  abort segv fpe
           stack killed:SIG (by itself) kills:SIG:RANK kills:SIG:warden stops:RANK fill print:N big:N (with much unwritten output) child:N early:N locked:N  bus ill (by an instruction) fatal
           dies:SIG (by itself, in a handler) holds:SIG (by itself, with a lock held) deep (out of stack, in a thread; ppc64le has room for a handler then)
   OTHERS  behaviour of the ranks that do not act: spin poll sleep block (all signals, spinning) quit:N (a SIGQUIT handler
           that exits with N) deaf (a SIGQUIT handler that does nothing) barrier until (asleep in the library)
           flood (send until they cannot) wait (in attach for ranks that never arrive)
           puts (transfers to and from the next rank; in PAR mode a thread of the rank that acts does the same)
           bulk (as puts, with Mediums of the greatest size only)      */
#include <errno.h>
#include <fcntl.h>
#include <gasnet.h>
#include <gasnet_tools.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { EXIT_HANDLER = 200, DIE_HANDLER, NOP_HANDLER };
static pid_t rank0_pid;
static int code_at_exit, code_in_quit, acting;

static void exit_handler(gasnet_token_t token, gasnet_handlerarg_t code) {
  (void)token;
  gasnet_exit(code);
}

static void die_handler(gasnet_token_t token, gasnet_handlerarg_t sig) {
  (void)token;
  kill(getpid(), sig);
  for (;;) pause();
}

static void nop_handler(gasnet_token_t token, void *buf, size_t nbytes) { (void)token, (void)buf, (void)nbytes; }

static void *exit_thread(void *code) { gasnet_exit(*(int *)code); }

static void exit_at_exit(void) { gasnet_exit(code_at_exit); }

/* Registered before main, as a C++ object's destructor is. */
static int early_code;
static void early_at_exit(void) {
  if (early_code) gasnet_exit(early_code);
}
__attribute__((constructor)) static void early(void) { atexit(early_at_exit); }

static void on_quit(int sig) {
  (void)sig;
  if (code_in_quit) gasnet_exit(code_in_quit);
}

/* Holds streams for ever, like a thread that reads from a terminal. */
static void *lock_streams(void *unused) {
  FILE *other = fopen("/dev/null", "w");
  (void)unused;
  if (other) {
    fputs("pending", other);
    flockfile(other);
  }
  flockfile(stdin);
  for (;;) pause();
  return NULL;
}

static int is(const char *text, const char *name) {
  size_t n = strlen(name);
  return !strncmp(text, name, n) && (text[n] == 0 || text[n] == ':');
}

static const char *part(const char *text, int n) {
  while (n-- && text) {
    text = strchr(text, ':');
    if (text) text++;
  }
  return text ? text : "0";
}

static volatile int sink;
static int volatile *volatile nowhere;
static int overflow(int depth) {
  char volatile big[4096];
  if (depth < 0) return 0;
  big[depth % 4096] = (char)depth;
  sink = big[0];
  return overflow(depth + 1) + big[1];
}

static void *deep(void *unused) {
  (void)unused;
  sink = overflow(0);
  return NULL;
}

/* A mapping that has lost its file. */
static void bus(void) {
  FILE *file = tmpfile();
  int volatile *at = (int volatile *)mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(file), 0);
  *at = 1;
}

/* Not __builtin_trap, which is a breakpoint (SIGTRAP) on aarch64. */
static void illegal(void) {
#if defined(__aarch64__)
  __asm__ volatile("udf #0");
#elif defined(__riscv)
  __asm__ volatile("unimp");
#elif defined(__powerpc__)
  __asm__ volatile(".long 0");
#else
  __builtin_trap();
#endif
}

static gasnet_hsl_t lock = GASNET_HSL_INITIALIZER;

static int act(const char *what) {
  static int code;
  code = atoi(part(what, 1));
  if (is(what, "exit")) gasnet_exit(code);
  if (is(what, "return")) return code;
  if (is(what, "libexit")) exit(code);
  if (is(what, "_exit")) _exit(code);
  if (is(what, "quick_exit")) quick_exit(code);
  if (is(what, "atexit")) {
    code_at_exit = code;
    atexit(exit_at_exit);
    return 0;
  }
  if (is(what, "early")) {
    early_code = code;
    return 0;
  }
  if (is(what, "thread") || is(what, "threads")) {
    pthread_t threads[4];
    int i, n = is(what, "threads") ? 4 : 1;
    for (i = 0; i < n; i++) pthread_create(&threads[i], NULL, exit_thread, &code);
    for (;;) sink++;
  }
  if (is(what, "handler")) {
    gasnet_AMRequestShort1(gasnet_mynode(), EXIT_HANDLER, code);
    for (;;) gasnet_AMPoll();
  }
  if (is(what, "locked")) {
    pthread_t thread;
    pthread_create(&thread, NULL, lock_streams, NULL);
    usleep(100000);
    printf("rank %d printed this\n", (int)gasnet_mynode());
    gasnet_exit(code);
  }
  if (is(what, "abort")) abort();
  if (is(what, "segv")) *nowhere = 1;
  if (is(what, "fpe")) raise(SIGFPE);
  if (is(what, "ill")) illegal();
  if (is(what, "bus")) bus();
  if (is(what, "fatal")) gasnett_fatalerror("this cannot go on");
  if (is(what, "deep")) {
    pthread_t thread;
    pthread_create(&thread, NULL, deep, NULL);
    for (;;) gasnet_AMPoll();
  }
  if (is(what, "dies")) {
    gasnet_AMRequestShort1(gasnet_mynode(), DIE_HANDLER, code);
    for (;;) gasnet_AMPoll();
  }
  if (is(what, "holds")) {
    gasnet_hsl_lock(&lock);
    kill(getpid(), code);
    for (;;) pause();
  }
  if (is(what, "stack")) sink = overflow(0);
  if (is(what, "killed")) {
    kill(getpid(), code);
    for (;;) pause();
  }
  if (is(what, "kills") || is(what, "stops")) {
    const char *whom = part(what, is(what, "kills") ? 2 : 1);
    pid_t pid = is(whom, "warden") ? getppid() : is(whom, "0") ? rank0_pid : getpid();
    kill(pid, is(what, "kills") ? code : SIGSTOP);
    if (is(what, "stops")) gasnet_exit(3);
    for (;;) sink++;
  }
  if (is(what, "fill")) {
    static char line[10000];
    memset(line, 'x', sizeof line - 1);
    for (;;) puts(line);
  }
  if (is(what, "print")) {
    printf("rank %d printed this\n", (int)gasnet_mynode());
    gasnet_exit(code);
  }
  if (is(what, "big")) {
    enum { BYTES = 4 << 20 };
    int i;
    setvbuf(stdout, malloc(BYTES), _IOFBF, BYTES);
    for (i = 0; i < BYTES / 20; i++) printf("rank %d prints this\n", (int)gasnet_mynode());
    gasnet_exit(code);
  }
  if (is(what, "child")) { /* a child that is no rank must not end the job */
    pid_t child = fork();
    if (child == 0) exit(77);
    waitpid(child, NULL, 0);
    usleep(300000);
    gasnet_exit(code);
  }
  fprintf(stderr, "ERROR: no action '%s'\n", what);
  gasnet_exit(99);
  return 99;
}

/* Until the job ends, which no transfer may take for a failure. */
static void *put_and_get(void *unused) {
  static __thread char here[4096];
  gasnet_node_t n = gasnet_nodes(), next = (gasnet_node_t)((gasnet_mynode() + 1) % n);
  gasnet_seginfo_t segments[64];
  (void)unused;
  gasnet_getSegmentInfo(segments, n < 64 ? n : 64);
  for (;;) {
    gasnet_put(next, segments[next].addr, here, sizeof here);
    gasnet_get(here, next, segments[next].addr, sizeof here);
    gasnet_wait_syncnb(gasnet_put_nb(next, segments[next].addr, here, 8));
    gasnet_AMRequestLong0(next, NOP_HANDLER, here, sizeof here, segments[next].addr);
    gasnet_AMRequestMedium0(next, NOP_HANDLER, here, 512);
  }
  return NULL;
}

/* Messages whose receivers read their payload. */
static void *send_bulk(void *unused) {
  gasnet_node_t next = (gasnet_mynode() + 1) % gasnet_nodes();
  size_t bytes = gasnet_AMMaxMedium();
  char *payload = calloc(1, bytes);
  (void)unused;
  for (;;) gasnet_AMRequestMedium0(next, NOP_HANDLER, payload, bytes);
  return NULL;
}

static void others_do(const char *what) {
  if (is(what, "quit") || is(what, "deaf")) {
    code_in_quit = atoi(part(what, 1));
    signal(SIGQUIT, on_quit);
    for (;;) sink++;
  }
  if (is(what, "block")) {
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
  }
  if (is(what, "sleep"))
    for (;;) pause();
  if (is(what, "barrier")) {
    gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
    gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS);
  }
  if (is(what, "until")) GASNET_BLOCKUNTIL(sink == -1);
  if (is(what, "flood")) {
    static char payload[512];
    for (;;) gasnet_AMRequestMedium0(acting, NOP_HANDLER, payload, sizeof payload);
  }
  if (is(what, "puts")) put_and_get(NULL);
  if (is(what, "bulk")) send_bulk(NULL);
  if (is(what, "wait")) gasnet_attach(NULL, 0, GASNET_PAGESIZE, 0);
  if (is(what, "poll"))
    for (;;) gasnet_AMPoll();
  for (;;) sink++;
}

int main(int argc, char **argv) {
  gasnet_handlerentry_t table[] = {{EXIT_HANDLER, (void (*)())exit_handler},
                                   {DIE_HANDLER, (void (*)())die_handler},
                                   {NOP_HANDLER, (void (*)())nop_handler}};
  int acts;
  rank0_pid = getpid();
  gasnet_init(&argc, &argv);
  if (argc < 5) {
    fprintf(stderr, "ERROR: ways WHEN WHO ACTION OTHERS\n");
    return 98;
  }
  acts = is(argv[2], "all") || atoi(argv[2]) == (int)gasnet_mynode();
  acting = atoi(argv[2]);
  if (is(argv[1], "attach")) gasnet_attach(table, 3, GASNET_PAGESIZE, 0);
  if (!acts) others_do(argv[4]);
#ifdef GASNET_PAR
  if (is(argv[4], "puts") || is(argv[4], "bulk")) {
    pthread_t thread;
    pthread_create(&thread, NULL, is(argv[4], "puts") ? put_and_get : send_bulk, NULL);
  }
#endif
  usleep(is(argv[2], "all") ? 0 : 100000); /* the others have begun */
  return act(argv[3]);
}
