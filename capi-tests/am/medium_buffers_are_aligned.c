// The buffer of a Medium handler is aligned for any type and may be written by the handler, for any size, arguments and source.
#include "check.h"

/* What malloc aligns to. */
typedef union { long double ld; long long ll; void *p; void (*f)(void); } any_t;
struct aligned { char c; any_t any; };
#define ALIGNMENT offsetof(struct aligned, any)

static volatile int hits;
static void look(void *buf, size_t n) {
  CHECK_EQ((uintptr_t)buf % ALIGNMENT, 0);
  CHECK(filled(buf, n, (unsigned)n));
  memset(buf, 0xAB, n);
  hits++;
}
static void none(gasnet_token_t t, void *b, size_t n) { (void)t; look(b, n); }
static void one(gasnet_token_t t, void *b, size_t n, gasnet_handlerarg_t a) { (void)t, (void)a; look(b, n); }
static void three(gasnet_token_t t, void *b, size_t n, gasnet_handlerarg_t a, gasnet_handlerarg_t c, gasnet_handlerarg_t d) { (void)t, (void)a, (void)c, (void)d; look(b, n); }

int main(int argc, char **argv) {
  gasnet_handlerentry_t table[] = { HANDLER(200, none), HANDLER(201, one), HANDLER(203, three) };
  char bytes[700];
  size_t n;
  int sent = 0;
  check_start(&argc, &argv, table, 3, 0);
  for (n = 1; n < 600; n += n < 130 ? 1 : 41) {
    char *from = bytes + n % 9;
    fill(from, n, (unsigned)n);
    gasnet_AMRequestMedium0(next_rank(), 200, from, n);
    gasnet_AMRequestMedium1(next_rank(), 201, from, n, 1);
    gasnet_AMRequestMedium3(next_rank(), 203, from, n, 1, 2, 3);
    sent += 3;
    GASNET_BLOCKUNTIL(hits >= sent);
  }
  GASNET_BLOCKUNTIL(hits == sent);
  return check_end();
}
