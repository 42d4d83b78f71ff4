// gasnett_parse_int parses the texts of gasnett_format_number, for sizes and plain numbers; a buffer that is too small is not overrun.
// ranks: 1
#include "check.h"
#include <gasnet_tools.h>

static void both_ways(int64_t n) {
  char text[64];
  CHECK(gasnett_format_number(n, text, sizeof text, 1) == text);
  CHECK(gasnett_parse_int(text, 1) == n);
  CHECK(gasnett_format_number(n, text, sizeof text, 0) == text);
  CHECK(gasnett_parse_int(text, 0) == n);
}

int main(int argc, char **argv) {
  char small[5] = "....";
  uint64_t state = 1;
  int i;
  check_start(&argc, &argv, NULL, 0, 0);
  both_ways(0);
  for (i = 0; i < 63; i++) both_ways((int64_t)1 << i);
  for (i = 0; i < 1000; i++) both_ways((int64_t)rnd(&state));
  gasnett_format_number(123456789, small, 4, 0);
  CHECK(memcmp(small, "123\0", 4) == 0);
  CHECK_EQ(gasnett_parse_int("0x10", 0), 16);
  CHECK_EQ(gasnett_parse_int("0.5", 1 << 20), 1 << 19);
  CHECK_EQ(gasnett_parse_int("2KB", 1 << 20), 2048);
  return check_end();
}
