// An integer of the environment in hexadecimal may use all 64 bits, with gasnett_parse_int too; a longer number is read
// as the largest one, not without its last digit.
// ranks: 1
// modes: par
// expect: exit 0; stderr /'0x1ffffffffffffffff' is read as 9223372036854775807/; stderr /'-99999999999999999999' is read as -9223372036854775808/; no-stderr /'0xffff|'0x8000/
#include "check.h"
#include <gasnet_tools.h>

static void reads(const char *text, uint64_t bits) {
  CHECK(gasnett_parse_int(text, 0) == (int64_t)bits);
  CHECK(gasnett_parse_int(text, 1) == (int64_t)bits);
  gasnett_setenv("CAPI_BITS", text);
  CHECK(gasnett_getenv_int_withdefault("CAPI_BITS", 7, 0) == (int64_t)bits);
  CHECK(gasnett_getenv_int_withdefault("CAPI_BITS", 7, 1) == (int64_t)bits);
}

int main(int argc, char **argv) {
  check_start(&argc, &argv, NULL, 0, 0);
  reads("0x7fffffffffffffff", UINT64_C(0x7fffffffffffffff));
  reads("0x8000000000000000", UINT64_C(0x8000000000000000));
  reads("0xffffffffffffffff", UINT64_MAX);
  reads("0XFFFFFFFFFFFFFFFE", UINT64_MAX - 1);
  reads("-0x8000000000000000", UINT64_C(0x8000000000000000));
  CHECK(gasnett_parse_int("0x1ffffffffffffffff", 0) == INT64_MAX);
  CHECK(gasnett_parse_int("-99999999999999999999", 1) == INT64_MIN);
  return check_end();
}
