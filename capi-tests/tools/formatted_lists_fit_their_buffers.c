// The texts about addresses, vectors, strides and EX's bit sets fit the size that was told, and name their parts.
// ranks: 1
#include "tools_check.h"

int main(void) {
  void *list[3];
  struct { void *addr; size_t len; } vec[2];
  ptrdiff_t strides[2] = {-8, 4096};
  gasneti_addrlist_stats_t found;
  gasneti_memveclist_stats_t sizes;
  char *buf = (char *)malloc(gasnett_format_addrlist_bufsz(3)), *big;
  size_t n;
  list[0] = (void *)0x1000, list[1] = (void *)0x3000, list[2] = (void *)0x2000;
  found = gasnett_format_addrlist(buf, 3, list, 16);
  CHECK(strlen(buf) < gasnett_format_addrlist_bufsz(3));
  CHECK(strstr(buf, "0x3000") != NULL);
  CHECK(found.minaddr == list[0] && (char *)found.maxaddr == (char *)list[1] + 15);
  vec[0].addr = list[2], vec[0].len = 100, vec[1].addr = list[0], vec[1].len = 0;
  sizes = gasnett_format_memveclist(buf, 2, vec);
  CHECK(strlen(buf) < gasnett_format_memveclist_bufsz(2));
  CHECK_EQ(sizes.totalsz, 100);
  CHECK(sizes.minsz == 0 && sizes.maxsz == 100 && sizes.minaddr == list[0]);
  big = (char *)malloc(gasnett_format_strides_bufsz(2));
  gasnett_format_strides(big, 2, strides);
  CHECK(strstr(big, "-8") && strstr(big, "4096"));
  for (n = 0; n < 8; n++) {
    size_t size = gasnett_format_dt(NULL, 1u << n);
    char *text = (char *)malloc(size);
    CHECK_EQ(gasnett_format_dt(text, 1u << n), size);
    CHECK_EQ(strlen(text) + 1, size);
    free(text);
  }
  CHECK(gasnett_format_op(NULL, 3) > strlen("GEX_OP_AND"));
  CHECK(gasnett_format_ti(NULL, 31) > strlen("GEX_TI_SRCRANK"));
  free(buf), free(big);
  return check_end();
}
