# Handlers as array libraries for GASNet 1.x write them: declared in a header by macros, with pointers as arguments,
# defined in one file, registered in another. Ranks send each other messages of each form.

cat >client.h <<'C'
#pragma once
/* As in real clients: within extern "C", and with their own short names made of ours. */
#ifdef __cplusplus
extern "C" {
#endif
#include <gasnet_handler.h>
#ifdef __cplusplus
}
#endif
#define SAFE(call) do { if ((call) != GASNET_OK) gasnett_fatalerror("%s failed", #call); } while (0)
#define CHECK(cond) do { if (!(cond)) gasnett_fatalerror("%s", #cond); } while (0)
#define SHORT_SRP(cnt32, cnt64, args) SAFE(SHORT_REP(cnt32, cnt64, args))
#define SUNPACK(a0) ((size_t)UNPACK(a0))
#define SUNPACK2(a0, a1) ((size_t)UNPACK2(a0, a1))
#define FAR_POINTER ((void *)(uintptr_t)0xfedcba9876543210)
enum { ALLOC_REPLY = 205 };

#ifdef __cplusplus
namespace client {
#endif
enum handlers {
  gasneti_handleridx(nothing) = 200,
  gasneti_handleridx(alloc_request),
  gasneti_handleridx(alloc_reply) = ALLOC_REPLY,
  gasneti_handleridx(sum_request),
  gasneti_handleridx(sum_reply),
  gasneti_handleridx(fill_request),
  gasneti_handleridx(fill_reply),
  gasneti_handleridx(wide),
  gasneti_handleridx(plain) = 255
};
SHORT_HANDLER_DECL(nothing, 0, 0);
SHORT_HANDLER_DECL(alloc_request, 2, 4);
SHORT_HANDLER_DECL(alloc_reply, 2, 4);
MEDIUM_HANDLER_DECL(sum_request, 3, 5);
MEDIUM_HANDLER_DECL(sum_reply, 2, 4);
LONG_HANDLER_DECL(fill_request, 2, 3);
LONG_HANDLER_DECL(fill_reply, 1, 2);
SHORT_HANDLER_DECL(wide, 8, 16);
void plain(gasnet_token_t token, gasnet_handlerarg_t arg);
extern volatile int nothings, wides, plains;
struct sum { volatile int done; long value; };
#ifdef __cplusplus
}
using namespace client;
#endif
C
cat >handlers.c <<'C'
#include "client.h"
#ifdef __cplusplus
namespace client {
#endif
volatile int nothings, wides, plains;

GASNETT_INLINE(nothing_inner)
void nothing_inner(gasnet_token_t token) { (void)token; nothings = nothings + 1; }
SHORT_HANDLER(nothing, 0, 0, (token), (token));

GASNETT_INLINE(alloc_request_inner)
void alloc_request_inner(gasnet_token_t token, size_t size, void *destptr) {
  void *buf = malloc(size);
  SHORT_SRP(2,4,(token, gasneti_handleridx(alloc_reply), PACK(buf), PACK(destptr)));
}
SHORT_HANDLER(alloc_request, 2, 4,
              (token, SUNPACK(a0),      UNPACK(a1)     ),
              (token, SUNPACK2(a0, a1), UNPACK2(a2, a3)));
GASNETT_INLINE(alloc_reply_inner)
void alloc_reply_inner(gasnet_token_t token, void *buf, void *destptr) {
  (void)token;
  *(void *volatile *)destptr = buf;
}
SHORT_HANDLER(alloc_reply, 2, 4,
              (token, UNPACK(a0),      UNPACK(a1)     ),
              (token, UNPACK2(a0, a1), UNPACK2(a2, a3)));

/* Pointers and an integer between them; the list for 32 bits is malformed, as in some real clients. */
GASNETT_INLINE(sum_request_inner)
void sum_request_inner(gasnet_token_t token, void *addr, size_t nbytes, void *sum, int factor, void *mark) {
  const int *values = (const int *)addr;
  long total = 0;
  size_t i;
  CHECK(mark == FAR_POINTER);
  for (i = 0; i < nbytes / sizeof *values; i++) total += values[i] * factor;
  SAFE(MEDIUM_REP(2,4,(token, gasneti_handleridx(sum_reply), &total, sizeof total, PACK(sum), PACK(0))));
}
MEDIUM_HANDLER(sum_request, 3, 5,
               (token,addr,nbytes, UNPACK(a0),      a1, UNPACK(a2),   ),
               (token,addr,nbytes, UNPACK2(a0, a1), (int)a2, UNPACK2(a3, a4)));
GASNETT_INLINE(sum_reply_inner)
void sum_reply_inner(gasnet_token_t token, void *addr, size_t nbytes, void *sum, void *null) {
  struct sum *into = (struct sum *)sum;
  (void)token;
  CHECK(null == NULL && nbytes == sizeof into->value);
  memcpy(&into->value, addr, nbytes);
  gasnett_local_wmb();
  into->done = 1;
}
MEDIUM_HANDLER(sum_reply, 2, 4,
               (token,addr,nbytes, UNPACK(a0),      UNPACK(a1)),
               (token,addr,nbytes, UNPACK2(a0, a1), UNPACK2(a2, a3)));

GASNETT_INLINE(fill_request_inner)
void fill_request_inner(gasnet_token_t token, void *addr, size_t nbytes, void *back, int byte) {
  CHECK(((char *)addr)[0] == 'a' && ((char *)addr)[nbytes - 1] == 'z');
  memset(addr, byte, nbytes);
  SAFE(LONG_REP(1,2,(token, gasneti_handleridx(fill_reply), addr, nbytes, back, PACK(back))));
}
LONG_HANDLER(fill_request, 2, 3,
             (token,addr,nbytes, UNPACK(a0),      a1),
             (token,addr,nbytes, UNPACK2(a0, a1), (int)a2));
GASNETT_INLINE(fill_reply_inner)
void fill_reply_inner(gasnet_token_t token, void *addr, size_t nbytes, void *back) {
  (void)token;
  CHECK(addr == back);
  ((volatile char *)addr)[nbytes] = 1; /* after the last byte: the flag */
}
LONG_HANDLER(fill_reply, 1, 2, (token,addr,nbytes, UNPACK(a0)), (token,addr,nbytes, UNPACK2(a0, a1)));

GASNETT_INLINE(wide_inner)
void wide_inner(gasnet_token_t token, void *p0, void *p1, void *p2, void *p3, void *p4, void *p5, void *p6, void *p7) {
  (void)token;
  CHECK(p0 == (void *)1 && p1 == (void *)2 && p2 == (void *)3 && p3 == (void *)4);
  CHECK(p4 == (void *)5 && p5 == (void *)6 && p6 == (void *)7 && p7 == FAR_POINTER);
  wides = wides + 1;
}
SHORT_HANDLER(wide, 8, 16,
  (token, UNPACK(a0), UNPACK(a1), UNPACK(a2), UNPACK(a3), UNPACK(a4), UNPACK(a5), UNPACK(a6), UNPACK(a7)),
  (token, UNPACK2(a0, a1), UNPACK2(a2, a3), UNPACK2(a4, a5), UNPACK2(a6, a7), UNPACK2(a8, a9), UNPACK2(a10, a11), UNPACK2(a12, a13), UNPACK2(a14, a15)));

void plain(gasnet_token_t token, gasnet_handlerarg_t arg) {
  gasnet_node_t from;
  SAFE(gasnet_AMGetMsgSource(token, &from));
  CHECK((gasnet_handlerarg_t)from == arg);
  plains = plains + 1;
}
#ifdef __cplusplus
}
#endif
C
cat >main.c <<'C'
#include "client.h"
static gasnet_handlerentry_t table[] = {
    gasneti_handler_tableentry_with_bits(nothing),
    gasneti_handler_tableentry_with_bits(alloc_request),
    gasneti_handler_tableentry_with_bits(alloc_reply),
    gasneti_handler_tableentry_with_bits(sum_request),
    gasneti_handler_tableentry_with_bits(sum_reply),
    gasneti_handler_tableentry_with_bits(fill_request),
    gasneti_handler_tableentry_with_bits(fill_reply),
    gasneti_handler_tableentry_with_bits(wide),
    gasneti_handler_tableentry_no_bits(plain),
};
int main(int argc, char **argv) {
  void *volatile where = NULL;
  struct sum sum = {0, 0};
  int values[4] = {1, 2, 3, 4};
  static char bytes[26];
  static gasnet_seginfo_t segments[2];
  gasnet_node_t peer;
  char *mine, *there;
  int i;
  gasnet_init(&argc, &argv);
  SAFE(gasnet_attach(table, sizeof table / sizeof *table, 16 * GASNET_PAGESIZE, 0));
  CHECK(gasnet_nodes() == 2);
  peer = 1 - gasnet_mynode();
  SAFE(gasnet_getSegmentInfo(segments, 2));
  mine = (char *)segments[gasnet_mynode()].addr;
  there = (char *)segments[peer].addr;
  memset(mine, 0, 4096);
  gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
  SAFE(gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS));

  SAFE(SHORT_REQ(0,0,(peer, gasneti_handleridx(nothing))));
  SAFE(SHORT_REQ(2,4,(peer, gasneti_handleridx(alloc_request), PACK(sizeof values), PACK(&where))));
  GASNET_BLOCKUNTIL(where != NULL);
  SAFE(MEDIUM_REQ(3,5,(peer, gasneti_handleridx(sum_request), values, sizeof values, PACK(&sum), -3, PACK(FAR_POINTER))));
  GASNET_BLOCKUNTIL(sum.done);
  CHECK(sum.value == -30);
  for (i = 0; i < 26; i++) bytes[i] = (char)('a' + i);
  SAFE(LONG_REQ(2,3,(peer, gasneti_handleridx(fill_request), bytes, sizeof bytes, there + 1024, PACK(mine), 'x')));
  GASNET_BLOCKUNTIL(((volatile char *)mine)[26] == 1);
  CHECK(mine[0] == 'x' && mine[25] == 'x');
  SAFE(LONGASYNC_REQ(2,3,(peer, gasneti_handleridx(fill_request), bytes, sizeof bytes, there + 2048, PACK(mine + 512), 'y')));
  GASNET_BLOCKUNTIL(((volatile char *)mine)[512 + 26] == 1);
  CHECK(mine[512] == 'y' && mine[512 + 25] == 'y' && mine[0] == 'x');
  SAFE(SHORT_REQ(8,16,(peer, gasneti_handleridx(wide), PACK(1), PACK((size_t)2), PACK((void *)3), PACK(4), PACK(5), PACK(6), PACK(7), PACK(FAR_POINTER))));
  SAFE(SHORT_REQ(1,1,(peer, gasneti_handleridx(plain), (gasnet_handlerarg_t)gasnet_mynode())));
  GASNET_BLOCKUNTIL(nothings == 1 && wides == 1 && plains == 1);
  gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
  SAFE(gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS));
  gasnet_exit(0);
}
C
while read -r compiler; do
  for more in "-O2" "-O1 -DGASNET_DEBUG"; do
    case "$compiler $more" in clang*DEBUG) continue ;; esac
    # shellcheck disable=SC2046,SC2086
    ok "$compiler $more" $compiler -Wall -Wextra -Werror $more $(flags par) main.c handlers.c -o program $(libs par)
    ok "$compiler $more: 2 ranks" ranks 2 ./program
  done
done < <(compilers)

# The short names come with gasnet_handler.h alone.
cat >alone.c <<'C'
#include <gasnet.h>
#include <gasnet_tools.h>
#include <gasnet_coll.h>
#if defined(PACK) || defined(UNPACK) || defined(UNPACK2) || defined(SHORT_REQ) || defined(SHORT_HANDLER)
#error only gasnet_handler.h has short names
#endif
C
# shellcheck disable=SC2046
ok "gasnet.h has no short names" gcc -Werror $(flags par) -fsyntax-only alone.c
