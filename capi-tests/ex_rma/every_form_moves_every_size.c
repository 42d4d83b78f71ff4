// Every form of put and get moves every size, from and to memory in and outside the segment, at any alignment.
// time: 120
#include "check_ex.h"

static const size_t SIZES[] = {0, 1, 3, 8, 31, 64, 511, 512, 4095, 4096, 4097, 65535, 65536, 1000003};
enum { MOST = 1000003 };

static void put(int form, gex_Rank_t r, char *dest, char *src, size_t n) {
  gex_Event_t lc = n ? GEX_EVENT_NO_OP : GEX_EVENT_INVALID, ev = GEX_EVENT_INVALID;
  switch (form) {
    case 0: CHECK(!gex_RMA_PutBlocking(world, r, dest, src, n, 0)); break;
    case 1: ev = gex_RMA_PutNB(world, r, dest, src, n, GEX_EVENT_NOW, 0); break;
    case 2: ev = gex_RMA_PutNB(world, r, dest, src, n, GEX_EVENT_DEFER, 0); break;
    case 3: ev = gex_RMA_PutNB(world, r, dest, src, n, &lc, 0); CHECK(lc != GEX_EVENT_NO_OP); gex_Event_Wait(lc); break;
    case 4: CHECK(!gex_RMA_PutNBI(world, r, dest, src, n, GEX_EVENT_NOW, 0)); break;
    case 5: CHECK(!gex_RMA_PutNBI(world, r, dest, src, n, GEX_EVENT_DEFER, 0)); break;
    default: CHECK(!gex_RMA_PutNBI(world, r, dest, src, n, GEX_EVENT_GROUP, 0)); break;
  }
  CHECK(ev != GEX_EVENT_NO_OP);
  gex_Event_Wait(ev);
  gex_NBI_Wait(GEX_EC_PUT, 0);
}

static void get(int form, char *dest, gex_Rank_t r, char *src, size_t n) {
  switch (form % 3) {
    case 0: CHECK(!gex_RMA_GetBlocking(world, dest, r, src, n, 0)); break;
    case 1: gex_Event_Wait(gex_RMA_GetNB(world, dest, r, src, n, 0)); break;
    default: CHECK(!gex_RMA_GetNBI(world, dest, r, src, n, 0)); gex_NBI_Wait(GEX_EC_GET, 0); break;
  }
}

int main(int argc, char **argv) {
  char *out, *back;
  int form, i, inside;
  gex_Rank_t r;
  check_start(&argc, &argv, NULL, 0, MiB(8));
  out = (char *)malloc(MOST + 64), back = (char *)malloc(MOST + 64);
  r = next_rank();
  for (inside = 0; inside < 2; inside++)
    for (form = 0; form < 7; form++)
      for (i = 0; i < COUNT_OF(SIZES); i++) {
        size_t n = SIZES[i], skew = (size_t)(form + i) % 9;
        unsigned seed = (unsigned)(form * 100 + i) + me;
        char *there = seg(r) + skew, *from = (inside ? seg(me) + MiB(2) : out) + (skew + 3) % 9;
        char *to = (inside ? seg(me) + MiB(4) : back) + (skew + 5) % 9;
        fill(from, n, seed);
        memset(to, 0, n + 2);
        to[n] = 77;
        put(form, r, there, from, n);
        memset(from, 0xEE, n);
        get(form, to, r, there, n);
        CHECK(filled(to, n, seed));
        CHECK(to[n] == 77);
      }
  return check_end();
}
