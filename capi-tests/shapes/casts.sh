# C++ projects that enable warnings about casts and names get no warning from our headers and their macros, without casts
# of their own; C++98 clients compile.

cat >client.cc <<'C'
#include <gasnet.h>
#include <gasnet_coll.h>
#include <gasnet_handler.h>
#include <gasnet_mk.h>
#include <gasnet_ratomic.h>
#include <gasnet_tools.h>
#include <gasnet_vis.h>
GASNETT_THREADKEY_DEFINE(where);
static uint32_t start32 = 7;
static uint64_t start64 = 7;
static gasnett_atomic_t counter = gasnett_atomic_init(3);
static gasnett_atomic64_t counter64 = gasnett_atomic64_init(-1);
static gasnett_strongatomic32_t strong = gasnett_strongatomic32_init(0);
static gasnett_mutex_t mutex = GASNETT_MUTEX_INITIALIZER;
static gasnett_cond_t cond = GASNETT_COND_INITIALIZER;
static gex_HSL_t lock = GEX_HSL_INITIALIZER;
static volatile int done = 1;
static void ask_inner(gasnet_token_t token, void *addr, size_t nbytes, void *from) {
  if (from) gasnet_AMReplyMedium0(token, 201, addr, nbytes);
}
MEDIUM_HANDLER(ask, 1, 2, (token, addr, nbytes, UNPACK(a0)), (token, addr, nbytes, UNPACK2(a0, a1)))
enum { gasneti_handleridx(ask) = 200 };
gasnet_handlerentry_t table[] = {gasneti_handler_tableentry_with_bits(ask)};

static int tools(void *p, uint64_t word, char *place) {
  gasnett_atomic_t a32 = gasnett_atomic_init(start32);
  gasnett_atomic64_t a64 = gasnett_atomic64_init(start64);
  void *text = gasnett_debug_malloc(8);
  gasnett_debug_free(text);
  gasnett_atomic_set(&a32, 1, 0);
  gasnett_atomic_increment(&counter, GASNETT_ATOMIC_REL);
  gasnett_atomic64_add(&counter64, 1, 0);
  gasnett_atomic64_compare_and_swap(&a64, 1, 2, 0);
  gasnett_strongatomic32_add(&strong, 1, 0);
  gasnett_mutex_lock(&mutex);
  gasnett_cond_signal(&cond);
  gasnett_mutex_unlock(&mutex);
  gasnett_threadkey_init(where);
  gasnett_threadkey_set(where, p);
  GASNETT_VALUE_ASSIGN(place, word, 8);
  gasnett_assume(gasnett_ticks_to_ns(gasnett_ticks_now()) != 77);
  return gasnett_threadkey_get(where) == p && gasnett_count0s_uintptr_t(word) && gasnett_count0s_uint32_t(start32);
}

static int legacy(gasnet_node_t peer, char *there, uint64_t word) {
  GASNET_BEGIN_FUNCTION();
  char buffer[64] = {1};
  gasnet_handle_t handles[1] = {GASNET_INVALID_HANDLE};
  gasnet_coll_handle_t collective = GASNET_COLL_INVALID_HANDLE;
  MEDIUM_REQ(1, 2, (peer, gasneti_handleridx(ask), buffer, sizeof buffer, PACK(there)));
  SHORT_REQ(1, 2, (peer, 202, PACK(word)));
  gasnet_AMRequestShort(peer, 202, 2, 1, 2);
  gasnet_put(peer, there, buffer, 8);
  gasnet_get_bulk(buffer, peer, there, sizeof buffer);
  gasnet_put_val(peer, there, gasnet_wait_syncnb_valget(gasnet_get_nb_val(peer, there, 8)), 4);
  handles[0] = gasnet_put_nb_bulk(peer, there, buffer, sizeof buffer);
  gasnet_wait_syncnb_all(handles, 1);
  gasnet_memset(peer, there, 1, 8);
  gasnet_wait_syncnb(gasnet_memset_nb(peer, there, 1, 8));
  GASNET_BLOCKUNTIL(done);
  return collective == GASNET_COLL_INVALID_HANDLE && MIN(1, 2) == GASNETI_LOWORD(word);
}

template <class T>
static int ex(gex_TM_t tm, gex_Rank_t peer, char *there, T value) {
  T result = 0;
  gex_AD_t ad = GEX_AD_INVALID;
  gex_Event_t leaf = GEX_EVENT_INVALID, event = gex_RMA_PutNB(tm, peer, there, &value, sizeof value, &leaf, 0);
  gex_Event_t *const places[3] = {GEX_EVENT_NOW, GEX_EVENT_DEFER, GEX_EVENT_GROUP};
  if (event == GEX_EVENT_NO_OP || places[1] == places[2]) return 1;
  gex_Event_Wait(event);
  gex_Event_Wait(leaf);
  gex_RMA_PutBlocking(tm, peer, there, &value, sizeof value, GEX_FLAG_PEER_NEVER_SELF);
  gex_RMA_PutNBI(tm, peer, there, &value, sizeof value, GEX_EVENT_DEFER, 0);
  gex_RMA_PutBlockingVal(tm, peer, there, gex_RMA_GetBlockingVal(tm, peer, there, 4, 0), 4, 0);
  gex_NBI_Wait(GEX_EC_PUT | GEX_EC_GET, 0);
  gex_AM_RequestShort2(tm, peer, 202, 0, 1, 2);
  gex_AD_Create(&ad, tm, GEX_DT_I32, GEX_OP_FADD | GEX_OP_SET, 0);
  gex_Event_Wait(gex_Coll_BroadcastNB(tm, 0, &result, &value, sizeof value, 0));
  gex_HSL_Lock(&lock);
  gex_HSL_Unlock(&lock);
  return GEX_MK_HOST != GEX_MK_INVALID && tm != GEX_TM_INVALID && ad != GEX_AD_INVALID;
}

static int atomics(gex_AD_t ad, gex_Rank_t peer, void *there) {
  int32_t i32;
  uint32_t u32;
  int64_t i64;
  uint64_t u64;
  float flt;
  double dbl;
  gex_Event_Wait(gex_AD_OpNB_I32(ad, &i32, peer, there, GEX_OP_FADD, 1, 0, 0));
  gex_Event_Wait(gex_AD_OpNB_U32(ad, &u32, peer, there, GEX_OP_FMAX, 1, 0, 0));
  gex_Event_Wait(gex_AD_OpNB_I64(ad, &i64, peer, there, GEX_OP_FCAS, 1, 2, 0));
  gex_Event_Wait(gex_AD_OpNB_U64(ad, &u64, peer, there, GEX_OP_FMULT, 1, 0, 0));
  gex_AD_OpNBI_FLT(ad, &flt, peer, there, GEX_OP_FADD, 1, 0, 0);
  gex_AD_OpNBI_DBL(ad, &dbl, peer, there, GEX_OP_FSUB, 1, 0, 0);
  return 0;
}

int main(int argc, char **argv) {
  gasnet_init(&argc, &argv);
  gasnet_attach(table, 1, GASNET_PAGESIZE, 0);
  if (argc > 100) return tools(argv, 1, argv[0]) + legacy(0, argv[0], 2) + ex(GEX_TM_INVALID, 0, argv[0], argc) + atomics(GEX_AD_INVALID, 0, argv[0]);
  gasnet_exit(0);
}
C

casts="-Wold-style-cast -Wcast-qual -Wshadow"
for more in "$(flags par) -O1" "$(flags seq) -O1 -DGASNETI_NO_INLINE" "$(flags par) -DGASNET_DEBUG"; do
  ok "no warning of casts" g++ -std=c++11 -Wall -Wextra -Werror $casts -Wuseless-cast $more -c client.cc -o client.o
  ok "C++98" g++ -std=c++98 -Wall -Wextra -Werror $more -c client.cc -o client.o
  ! command -v clang++ >/dev/null || {
    ok "no warning of casts" clang++ -std=c++11 -Wall -Wextra -Werror $casts -Wcast-align $more -c client.cc -o client.o
    ok "C++98" clang++ -std=c++98 -Wall -Wextra -Werror $more -c client.cc -o client.o
  }
done
ok "it links" g++ -std=c++98 $(flags par) client.cc -o client $(libs par)
ok "it runs" ranks 1 ./client
# The compiler options detect casts: a file with casts fails.
printf 'int main(int argc, char **) { return (int)3.5 + argc; }\n' >cast.cc
no() { ! "$@"; }
ok "a cast is seen" no g++ -Werror $casts -c cast.cc -o cast.o
