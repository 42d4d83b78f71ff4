// Memcheck finds no error of the library in a program that uses messages, put, get, memset, locks and barriers.
// ranks: 1 2
// modes: par
// once: yes
// time: 120
// expect: exit 0; chatter; no-stderr /==.*(Invalid|uninitialised|Mismatched|Invalid)/
// needs: valgrind --version
// wrap: valgrind -q --trace-children=yes --error-exitcode=9 --undef-value-errors=yes --fair-sched=try
#include "check.h"

static int replies;
static gasnet_hsl_t hsl = GASNET_HSL_INITIALIZER;
static void req(gasnet_token_t t, void *b, size_t n) {
  gasnet_hsl_lock(&hsl);
  gasnet_hsl_unlock(&hsl);
  CHECK(gasnet_AMReplyMedium0(t, 201, b, n) == GASNET_OK);
}
static void rep(gasnet_token_t t, void *b, size_t n) { (void)t; CHECK(filled(b, n, 2)); __atomic_add_fetch(&replies, 1, 5); }
static void work(int i) {
  char bytes[300];
  fill(bytes, sizeof bytes, 2);
  gasnet_wait_syncnb(gasnet_put_nb_bulk(next_rank(), seg(next_rank()) + 512 * i, bytes, sizeof bytes));
  gasnet_get_nbi_bulk(bytes, next_rank(), seg(next_rank()) + 512 * i, sizeof bytes);
  gasnet_wait_syncnbi_all();
  CHECK(filled(bytes, sizeof bytes, 2));
}

int main(int argc, char **argv) {
  gasnet_handlerentry_t table[] = { HANDLER(200, req), HANDLER(201, rep) };
  char bytes[1000];
  int i;
  check_start(&argc, &argv, table, 2, KiB(64));
  fill(bytes, sizeof bytes, 2);
  for (i = 0; i < 20; i++) {
    CHECK(gasnet_AMRequestMedium0(next_rank(), 200, bytes, (size_t)i * 50) == GASNET_OK);
    CHECK(gasnet_AMRequestLong0(next_rank(), 200, bytes, (size_t)i * 50, seg(next_rank()) + KiB(32)) == GASNET_OK);
    gasnet_put_val(next_rank(), seg(next_rank()) + 4096, (unsigned)i, 8);
    gasnet_memset(next_rank(), seg(next_rank()) + 8192, i, 100);
    GASNET_BLOCKUNTIL(__atomic_load_n(&replies, 5) == 2 * (i + 1));
    CHECK_EQ(gasnet_barrier(i, 0), GASNET_OK);
  }
  on_threads(2, work);
  return check_end();
}
