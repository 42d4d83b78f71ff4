// A region of 40 levels, of which 14 count, is put and got like any other.
#include "vis.h"

enum { LEVELS = 40, AREA = 1 << 19 };
int main(int argc, char **argv) {
  ptrdiff_t wide[LEVELS], narrow[LEVELS], span = 3, packed = 1;
  size_t count[LEVELS], total = 1, i, k;
  unsigned char *source, *back;
  vis_start(&argc, &argv, NULL, 0, AREA);
  for (i = 0; i < LEVELS; i++) {
    count[i] = i % 3 == 1 ? 2 : 1;
    wide[i] = span, narrow[i] = packed;
    if (count[i] == 2) span = span * 2 + (i < 12), packed *= 2, total *= 2;
  }
  MUST(span < AREA);
  source = (unsigned char *)malloc(total), back = (unsigned char *)calloc(total, 1);
  fill(source, total, 5 + me);
  gex_VIS_StridedPutBlocking(tm, next_rank(), seg(next_rank()), wide, source, narrow, 1, count, LEVELS, 0);
  gex_VIS_StridedGetBlocking(tm, back, narrow, next_rank(), seg(next_rank()), wide, 1, count, LEVELS, 0);
  CHECK(memcmp(source, back, total) == 0);
  barrier();
  for (i = 0; i < total; i++) { /* bit b of i is the index of the b-th level that counts */
    size_t at = 0, bit = 0;
    unsigned char expected;
    for (k = 0; k < LEVELS; k++)
      if (count[k] == 2) at += (i >> bit++ & 1) * (size_t)wide[k];
    fill(back, total, 5 + prev_rank());
    expected = back[i];
    if ((unsigned char)seg(me)[at] != expected) { CHECK_EQ((unsigned char)seg(me)[at], expected); break; }
    if (i > 300 && i + 300 < total) i += 97;
  }
  return check_end();
}
