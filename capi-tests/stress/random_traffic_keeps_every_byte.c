// Random puts, gets, values, memsets and messages of all sizes, many in flight, by every thread to every rank: each byte is checked against a local model.
// ranks: 2 3 4
// time: 120
// case 1: exit 0
// case 2: exit 0
// case 20260: exit 0
#include "check.h"

enum { AREA = 1 << 17, OPS = 2500, BATCH = 12, SCRATCH = 20000 };
#if GASNET_PAR
enum { THREADS = 3 };
#else
enum { THREADS = 1 };
#endif

static long long sent[THREADS], answered[THREADS], handled;
static uint64_t seed;

static unsigned sum(const void *p, size_t n) {
  const unsigned char *b = (const unsigned char *)p;
  unsigned h = 2166136261u;
  while (n--) h = (h ^ *b++) * 16777619u;
  return h;
}
static void answer(gasnet_token_t t, void *buf, size_t n, gasnet_handlerarg_t thread, gasnet_handlerarg_t check) {
  CHECK_EQ((gasnet_handlerarg_t)sum(buf, n), check);
  __atomic_add_fetch(&handled, 1, 5);
  if (check & 1) CHECK(gasnet_AMReplyShort2(t, 202, thread, check) == GASNET_OK);
  else CHECK(gasnet_AMReplyMedium2(t, 203, buf, n, thread, check) == GASNET_OK);
}
static void s_req(gasnet_token_t t, gasnet_handlerarg_t thread, gasnet_handlerarg_t check) {
  __atomic_add_fetch(&handled, 1, 5);
  CHECK(gasnet_AMReplyShort2(t, 202, thread, check) == GASNET_OK);
}
static void s_rep(gasnet_token_t t, gasnet_handlerarg_t thread, gasnet_handlerarg_t check) { (void)t, (void)check; __atomic_add_fetch(&answered[thread], 1, 5); }
static void m_rep(gasnet_token_t t, void *buf, size_t n, gasnet_handlerarg_t thread, gasnet_handlerarg_t check) {
  (void)t;
  CHECK_EQ((gasnet_handlerarg_t)sum(buf, n), check);
  __atomic_add_fetch(&answered[thread], 1, 5);
}

/* The part of `rank`'s segment that this thread alone writes: AREA bytes for put and get, AREA for Longs. */
static char *area(gasnet_node_t rank, int t) { return seg(rank) + ((size_t)me * THREADS + (size_t)t) * 2 * AREA; }

static size_t some_size(uint64_t *s) {
  switch (rnd(s) % 8) {
    case 0: return rnd(s) % 9;
    case 1: case 2: case 3: return rnd(s) % 200;
    case 4: case 5: return rnd(s) % 3000;
    default: return rnd(s) % SCRATCH;
  }
}

struct pending { gasnet_handle_t h; unsigned char *buf; size_t n, off; gasnet_node_t r; int get; };

static void work(int t) {
  uint64_t s = seed * 7919 + me * 101 + (unsigned)t + 1;
  unsigned char *model = (unsigned char *)calloc(nranks, AREA), *buf[BATCH];
  struct pending p[BATCH];
  int i, k, np = 0;
  gasnet_node_t r;
  for (k = 0; k < BATCH; k++) buf[k] = (unsigned char *)malloc(SCRATCH + 16);
  for (r = 0; r < nranks; r++) gasnet_memset(r, area(r, t), 0, AREA);
  for (i = 0; i < OPS; i++) {
    size_t n = some_size(&s), off;
    r = (gasnet_node_t)(rnd(&s) % nranks);
    off = rnd(&s) % (AREA - n);
    switch (rnd(&s) % 10) {
      case 0: {
        gasnet_register_value_t v = rnd(&s);
        size_t w = 1 + rnd(&s) % 8;
        off &= ~(size_t)7;
        for (k = 0; k < np; k++) if (p[k].r == r) break;   /* not beside an operation in flight */
        if (k < np) break;
        gasnet_put_val(r, area(r, t) + off, v, w);
        memcpy(model + r * AREA + off, &v, w);
        CHECK(gasnet_get_val(r, area(r, t) + off, w) == (w == 8 ? v : v & (((gasnet_register_value_t)1 << 8 * w) - 1)));
        break;
      }
      case 1:
        for (k = 0; k < np; k++) if (p[k].r == r) break;
        if (k < np) break;
        gasnet_memset(r, area(r, t) + off, i, n);
        memset(model + r * AREA + off, i & 0xFF, n);
        break;
      case 2:
        sent[t]++;
        CHECK(gasnet_AMRequestShort2(r, 200, t, i) == GASNET_OK);
        break;
      case 3: {
        unsigned char *m = (unsigned char *)malloc(n + 1);
        for (k = 0; k < (int)n; k++) m[k] = (unsigned char)(s >> (k % 8)) + (unsigned char)k;
        sent[t]++;
        CHECK(gasnet_AMRequestMedium2(r, 201, m, n, t, (gasnet_handlerarg_t)sum(m, n)) == GASNET_OK);
        free(m);
        break;
      }
      case 4: {
        /* The Long area is written again only when all answers are back. */
        unsigned char *m;
        GASNET_BLOCKUNTIL(__atomic_load_n(&answered[t], 5) == sent[t]);
        m = (unsigned char *)malloc(n + 1);
        for (k = 0; k < (int)n; k++) m[k] = (unsigned char)(s >> (k % 5)) + (unsigned char)k;
        sent[t]++;
        CHECK(gasnet_AMRequestLong2(r, 201, m, n, area(r, t) + AREA + off, t, (gasnet_handlerarg_t)sum(m, n)) == GASNET_OK);
        free(m);
        GASNET_BLOCKUNTIL(__atomic_load_n(&answered[t], 5) == sent[t]);
        break;
      }
      default:
        for (k = 0; k < np; k++)   /* operations in flight must not overlap one another */
          if (p[k].r == r && off < p[k].off + p[k].n && p[k].off < off + n) break;
        if (k < np) break;
        p[np].r = r, p[np].n = n, p[np].off = off, p[np].buf = buf[np], p[np].get = (int)(rnd(&s) % 2);
        p[np].h = GASNET_INVALID_HANDLE;
        if (p[np].get) {
          memset(p[np].buf, 0xDD, n);
          if (rnd(&s) % 2) p[np].h = gasnet_get_nb_bulk(p[np].buf, r, area(r, t) + off, n);
          else gasnet_get_nbi_bulk(p[np].buf, r, area(r, t) + off, n);
        } else {
          for (k = 0; k < (int)n; k++) p[np].buf[k] = (unsigned char)(rnd(&s) >> 20);
          memcpy(model + r * AREA + off, p[np].buf, n);
          if (rnd(&s) % 2) p[np].h = gasnet_put_nb_bulk(r, area(r, t) + off, p[np].buf, n);
          else gasnet_put_nbi_bulk(r, area(r, t) + off, p[np].buf, n);
        }
        np++;
    }
    if (np == BATCH || rnd(&s) % 40 == 0) {
      gasnet_handle_t h[BATCH];
      for (k = 0; k < np; k++) h[k] = p[k].h;
      gasnet_wait_syncnb_all(h, (size_t)np);
      gasnet_wait_syncnbi_all();
      for (k = 0; k < np; k++)
        if (p[k].get) CHECK(memcmp(p[k].buf, model + p[k].r * AREA + p[k].off, p[k].n) == 0);
      np = 0;
    }
  }
  { gasnet_handle_t h[BATCH]; for (k = 0; k < np; k++) h[k] = p[k].h; gasnet_wait_syncnb_all(h, (size_t)np); }
  gasnet_wait_syncnbi_all();
  GASNET_BLOCKUNTIL(__atomic_load_n(&answered[t], 5) == sent[t]);
  { unsigned char *all = (unsigned char *)malloc(AREA);
    for (r = 0; r < nranks; r++) {
      gasnet_get_bulk(all, r, area(r, t), AREA);
      CHECK(memcmp(all, model + r * AREA, AREA) == 0);
    }
    free(all); }
  for (k = 0; k < BATCH; k++) free(buf[k]);
  free(model);
}

int main(int argc, char **argv) {
  gasnet_handlerentry_t table[] = { HANDLER(200, s_req), HANDLER(201, answer), HANDLER(202, s_rep), HANDLER(203, m_rep) };
  check_init(&argc, &argv);
  check_attach(table, COUNT_OF(table), (uintptr_t)nranks * THREADS * 2 * AREA);
  seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
#if GASNET_PAR
  on_threads(THREADS, work);
#else
  work(0);
#endif
  return check_end();
}
