// Exit storms: job after job for SOAK_SECONDS, each by a seed of its own. All ranks communicate, from two threads each where there are threads,
// and each leaves with code 0 at a moment and in a way of its own while operations of all kinds are in flight. Every job ends with 0 and without an error.
// modes: par seq
// ranks: 1 2 3 4
// time: $((120 + 2 * ${SOAK_SECONDS:-2}))
// wrap: bash $here/soak/exits_check
#include "check.h"

#include <gasnet_vis.h>
#include <time.h>

enum { SHORT = 200, MEDIUM, LONG, LEAVE, MOST = 40000, SLOTS = 24 };
static uint64_t seed;
static double leaves_at; /* seconds after the barrier */
static int way;
static struct timespec start;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)(t.tv_sec - start.tv_sec) + 1e-9 * (double)(t.tv_nsec - start.tv_nsec);
}
static void on_short(gasnet_token_t token, gasnet_handlerarg_t answer) {
  if (answer) gasnet_AMReplyShort1(token, SHORT, 0);
}
static void on_medium(gasnet_token_t token, void *buf, size_t n, gasnet_handlerarg_t answer) {
  if (answer) gasnet_AMReplyMedium1(token, MEDIUM, buf, n, 0);
}
static void on_long(gasnet_token_t token, void *buf, size_t n, gasnet_handlerarg_t answer) {
  gasnet_node_t from = 0;
  CHECK(gasnet_AMGetMsgSource(token, &from) == GASNET_OK);
  if (answer) gasnet_AMReplyLong1(token, LONG, buf, n, seg(from), 0);
}
static void on_leave(gasnet_token_t token) {
  (void)token;
  gasnet_exit(0);
}

/* Operations whose number grows until the end; the bytes are not checked. */
static void storm(int thread) {
  static char bytes[2][SLOTS][MOST];
  uint64_t state = seed * 8 + me * 2 + (unsigned)thread + 1;
  gasnet_handle_t handles[SLOTS] = {GASNET_INVALID_HANDLE};
  int i;
  for (i = 0; thread != 0 || now() < leaves_at; i++) {
    int slot = i % SLOTS;
    gasnet_node_t to = (gasnet_node_t)(rnd(&state) % nranks);
    size_t n = rnd(&state) % (rnd(&state) % 4 ? 600 : MOST), far[1] = {64}, near[1] = {32}, count[2] = {32, 8};
    char *here = bytes[thread][slot], *there = seg(to) + (size_t)slot * MOST;
    if (slot == 0) gasnet_wait_syncnb_all(handles, SLOTS);
    switch (rnd(&state) % 12) {
      case 0: handles[slot] = gasnet_put_nb_bulk(to, there, here, n); break;
      case 1: handles[slot] = gasnet_get_nb_bulk(here, to, there, n); break;
      case 2: gasnet_put_nbi_bulk(to, there, here, n); break;
      case 3: gasnet_put_bulk(to, there, here, n); break;
      case 4: gasnet_get_bulk(here, to, there, n); break;
      case 5: gasnet_memset_nbi(to, there, i, n); break;
      case 6: gasnet_AMRequestLong1(to, LONG, here, n, there, (gasnet_handlerarg_t)(rnd(&state) % 2)); break;
      case 7: gasnet_AMRequestMedium1(to, MEDIUM, here, n % 600, (gasnet_handlerarg_t)(rnd(&state) % 2)); break;
      case 8: gasnet_AMRequestShort1(to, SHORT, (gasnet_handlerarg_t)(rnd(&state) % 2)); break;
      case 9: handles[slot] = gasnet_puts_nb_bulk(to, there, far, here, near, count, 1); gasnet_wait_syncnb(handles[slot]); handles[slot] = GASNET_INVALID_HANDLE; break;
      case 10: gasnet_put_val(to, there, rnd(&state), 8); break;
      default: gasnet_wait_syncnbi_all();
    }
  }
}
static void *second(void *unused) {
  (void)unused;
  storm(1);
  return NULL;
}
static void *leaves(void *unused) {
  (void)unused;
  gasnet_exit(0);
}

int main(int argc, char **argv) {
  gasnet_handlerentry_t table[] = {HANDLER(SHORT, on_short), HANDLER(MEDIUM, on_medium), HANDLER(LONG, on_long), HANDLER(LEAVE, on_leave)};
  uint64_t state;
  seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
  check_start(&argc, &argv, table, 4, MiB(1));
  state = seed * 64 + me + 1;
  rnd(&state), rnd(&state);
  leaves_at = (double)(rnd(&state) % 1000) * 1e-6 * (double)(rnd(&state) % 40);
  way = (int)(rnd(&state) % 5);
  clock_gettime(CLOCK_MONOTONIC, &start);
  barrier();
#if GASNET_PAR
  {
    pthread_t id;
    if (rnd(&state) % 2) MUST(pthread_create(&id, NULL, second, NULL) == 0);
  }
#endif
  storm(0);
  switch (way) {
    case 0: return 0;
    case 1: exit(0);
    case 2: gasnet_AMRequestShort0((gasnet_node_t)(rnd(&state) % nranks), LEAVE); gasnet_exit(0); break;
#if GASNET_PAR
    case 3: {
      pthread_t id;
      MUST(pthread_create(&id, NULL, leaves, NULL) == 0);
      storm(0);
      pthread_join(id, NULL);
      break;
    }
#endif
    default: break;
  }
  gasnet_exit(0);
  (void)second, (void)leaves;
  return 1;
}
