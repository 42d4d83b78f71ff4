// A client may communicate in functions of atexit and in destructors of static objects, after exit() has run the
// destructors of thread-local objects: put, get, strided, prepared messages, locks, barriers; and may call gasnet_exit there.
// ranks: 2 3
// modes: par seq
#include <gasnetex.h>
#include "check.h"
#include <gasnet_vis.h>

static int pings, talks;
static gex_HSL_t lock = GEX_HSL_INITIALIZER;
static void on_ping(gasnet_token_t token, void *buf, size_t nbytes) {
  (void)token;
  CHECK(nbytes == 100 && all_bytes(buf, nbytes, 'p'));
  pings++;
}

static void talk(void) {
  char rows[8][16], back[8][16];
  size_t strides[1] = { 16 }, far[1] = { 64 }, count[2] = { 16, 8 };
  gex_AM_SrcDesc_t sd;
  gex_TM_t team;
  uint64_t word = 0;
  gasnet_QueryGexObjects(NULL, NULL, &team, NULL);
  fill(rows, sizeof rows, me + 3u);
  gasnet_puts_bulk(next_rank(), seg(next_rank()), far, rows, strides, count, 1);
  gasnet_gets_bulk(back, strides, next_rank(), seg(next_rank()), far, count, 1);
  CHECK(memcmp(rows, back, sizeof rows) == 0);
  gasnet_put_nbi_val(next_rank(), seg(next_rank()) + 2048, 5, 8);
  gasnet_wait_syncnbi_all();
  gasnet_wait_syncnb(gasnet_get_nb_bulk(&word, next_rank(), seg(next_rank()) + 2048, 8));
  CHECK_EQ(word, 5);
  gex_HSL_Lock(&lock);
  gex_HSL_Unlock(&lock);
  sd = gex_AM_PrepareRequestMedium(team, next_rank(), NULL, 100, 100, NULL, 0, 0);
  memset(gex_AM_SrcDescAddr(sd), 'p', 100);
  gex_AM_CommitRequestMedium0(sd, 200, 100);
  barrier();
  talks++;
  GASNET_BLOCKUNTIL(pings >= talks);
  barrier();
}

/* A C++ compiler translates a static object with a destructor into this call. */
extern int __cxa_atexit(void (*)(void *), void *, void *);
static void static_destructor(void *unused) { (void)unused; talk(); }
__attribute__((constructor)) static void static_object(void) { __cxa_atexit(static_destructor, NULL, NULL); }

static void second(void) { talk(); }
static void first(void) {
  talk();
  check_verdict();
}

/* A C++ compiler calls this for a thread_local with a destructor. */
extern int __cxa_thread_atexit_impl(void (*)(void *), void *, void *);
static void on_thread_local(void *unused) { (void)unused; talk(); }

int main(int argc, char **argv) {
  static char here;
  gasnet_handlerentry_t table[] = { HANDLER(200, on_ping) };
  atexit(second); /* before init: the library's own exit hook comes earlier */
  check_start(&argc, &argv, table, 1, KiB(64));
  atexit(first);
  __cxa_thread_atexit_impl(on_thread_local, NULL, &here);
  talk();
  return 0;
}
