// Payload limits are at least 512, the same at both ends, no smaller than the job's, monotonic in the number of arguments, and reached.
#include "check_ex.h"

typedef size_t (*limit_fn)(gex_TM_t, gex_Rank_t, const gex_Event_t *, gex_Flags_t, unsigned);
#define LIMIT(name) static size_t name(gex_TM_t tm, gex_Rank_t r, const gex_Event_t *lc, gex_Flags_t f, unsigned n) { return gex_AM_##name(tm, r, lc, f, n); }
LIMIT(MaxRequestMedium) LIMIT(MaxReplyMedium) LIMIT(MaxRequestLong) LIMIT(MaxReplyLong)
static volatile int hits;
static size_t theirs[8 * 2];
static void h(gex_Token_t t, void *b, size_t n) { (void)t, (void)b; CHECK(n == gex_AM_MaxRequestMedium(world, prev_rank(), GEX_EVENT_NOW, 0, 0)); hits++; }
static void mine(gex_Token_t t, void *b, size_t n) { (void)t; memcpy(theirs, b, n); hits++; }

int main(int argc, char **argv) {
  static gex_AM_Entry_t table[] = { CHECK_AM(200, h, MEDIUM, REQUEST, 0), CHECK_AM(201, mine, MEDIUM, REQUEST, 0) };
  const limit_fn limits[] = { MaxRequestMedium, MaxReplyMedium, MaxRequestLong, MaxReplyLong };
  const gex_Flags_t flags[] = { 0, GEX_FLAG_AM_PREPARE_LEAST_CLIENT, GEX_FLAG_AM_PREPARE_LEAST_ALLOC };
  size_t lub[4], here[4], any, one, last;
  char *big;
  unsigned k, f, n;
  gex_Rank_t r;
  check_start(&argc, &argv, table, COUNT_OF(table), KiB(64));
  lub[0] = gex_AM_LUBRequestMedium(), lub[1] = gex_AM_LUBReplyMedium(), lub[2] = gex_AM_LUBRequestLong(), lub[3] = gex_AM_LUBReplyLong();
  CHECK(gex_AM_MaxArgs() >= 16);
  for (k = 0; k < 4; k++) {
    CHECK(lub[k] >= 512);
    here[k] = limits[k](world, next_rank(), GEX_EVENT_NOW, 0, 5);
    for (f = 0; f < 3; f++) {
      gex_Event_t *lc = f == 2 ? NULL : GEX_EVENT_NOW;
      for (n = 0, last = (size_t)-1; n <= gex_AM_MaxArgs(); n++, last = any) {
        any = limits[k](world, GEX_RANK_INVALID, lc, flags[f], n);
        CHECK(any >= 512 && any <= last);
        if (!f) CHECK(any >= lub[k]);
        for (r = 0; r < nranks; r++) {
          one = limits[k](world, r, lc, flags[f], n);
          CHECK(one >= any);
          CHECK(one == limits[k](gex_TM_Pair(endpoint, 0), r, lc, flags[f], n));
        }
      }
    }
  }
  gex_AM_RequestMedium0(world, next_rank(), 201, here, sizeof here, GEX_EVENT_NOW, 0);
  GASNET_BLOCKUNTIL(hits == 1);
  /* My limits to the previous rank are its limits to me. */
  for (k = 0; k < 4; k++) CHECK_EQ(theirs[k], limits[k](world, prev_rank(), GEX_EVENT_NOW, 0, 5));
  barrier();
  one = gex_AM_MaxRequestMedium(world, next_rank(), GEX_EVENT_NOW, 0, 0);
  big = (char *)calloc(1, one);
  gex_AM_RequestMedium0(world, next_rank(), 200, big, one, GEX_EVENT_NOW, 0);
  GASNET_BLOCKUNTIL(hits == 2);
  free(big);
  return check_end();
}
