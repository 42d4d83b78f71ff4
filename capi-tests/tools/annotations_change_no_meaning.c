// The compiler annotations and helpers compile, evaluate their arguments once, and give the plain values.
// ranks: 1
// cflags: -pedantic
#include "tools_check.h"

static int calls;
static int once(int v) {
  calls++;
  return v;
}
GASNETT_INLINE(inlined) int inlined(int v) { return v + 1; }
GASNETT_PLEASE_INLINE(maybe) int maybe(int v) { return v + 2; }
GASNETT_NEVER_INLINE(never, static int never(int v)) { return v + 3; }
GASNETT_FORMAT_PRINTF(print, 1, 2, static int print(const char *format, ...)) { return format != NULL; }
GASNETT_FORMAT_PRINTF_FUNCPTR(pointer, 1, 2, static int (*pointer)(const char *format, ...)) = print;
static int pure(const int *p) GASNETT_PURE;
static int pure(const int *p) { return *p; }
GASNETT_PUREP(pure)
static int square(int v) GASNETT_CONST;
static int square(int v) { return v * v; }
GASNETT_CONSTP(square)
static GASNETT_HOT int hot(void) { return 1; }
static GASNETT_COLD GASNETT_WARN_UNUSED_RESULT int cold(void) { return 2; }
static GASNETT_USED int used(void) { return 3; }
static GASNETT_UNUSED int unused(void) { return 4; }
static void *fresh(size_t n) GASNETT_MALLOC;
static void *fresh(size_t n) { return malloc(n); }
GASNETT_MALLOCP(fresh)
static GASNETT_DEPRECATED GASNETT_UNUSED int old(void) { return 5; }
GASNETT_NORETURNP(leave)

static int steps(int from) {
  int n = 0;
  switch (from) {
    case 0: n++; GASNETT_FALLTHROUGH
    case 1: n++; GASNETT_FALLTHROUGH
    default: n++;
  }
  return n;
}

GASNETT_BEGIN_EXTERNC
GASNETT_EXTERNC int declared(void);
GASNETT_END_EXTERNC

int main(void) {
  int v = 4, *GASNETT_RESTRICT p = &v;
  void *memory = fresh(1);
  free(memory);
  CHECK_EQ(inlined(1) + maybe(1) + never(1), 9);
  CHECK(print("%d", 1) && pointer("%s", "x"));
  CHECK_EQ(pure(p) + square(3) + hot() + cold(), 16);
  GASNETT_UNUSED_ARGS8(once(1), once(2), once(3), once(4), once(5), once(6), once(7), once(8));
  CHECK_EQ(calls, 8);
  CHECK_EQ((GASNETT_UNUSED_ARGS3(once(1), once(2), once(3)), once(9)), 9);
  CHECK_EQ(calls, 12);
  CHECK(GASNETT_PREDICT_TRUE(once(2)) && !GASNETT_PREDICT_FALSE(once(0)));
  CHECK_EQ(calls, 14);
  if_pf (once(0)) CHECK(0);
  else if_pt (once(5)) v = 6;
  CHECK_EQ(v, 6);
  CHECK_EQ(calls, 16);
  gasnett_assume(v == 6);
  if (v != 6) gasnett_unreachable();
  CHECK(gasnett_constant_p(v) == 0 || gasnett_constant_p(v) == 1);
  CHECK_EQ(steps(0) * 100 + steps(1) * 10 + steps(2), 321);
  CHECK(!strcmp(GASNETT_CURRENT_FUNCTION, "main"));
  CHECK(!strcmp(_STRINGIFY(_CONCAT(GASNETT_SPEC_, x)), "GASNETT_SPEC_x"));
  return check_end();
}
