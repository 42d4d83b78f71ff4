// 128 entries with index 0 take all of 128 to 255, and each of them runs its own function.
// ranks: 2
#include "check.h"

static int calls[128];
#define ONE(n) static void f##n(gasnet_token_t t) { (void)t; calls[0x##n]++; }
#define ROW(X, r) X(r##0) X(r##1) X(r##2) X(r##3) X(r##4) X(r##5) X(r##6) X(r##7) X(r##8) X(r##9) X(r##a) X(r##b) X(r##c) X(r##d) X(r##e) X(r##f)
#define ALL(X) ROW(X, 0) ROW(X, 1) ROW(X, 2) ROW(X, 3) ROW(X, 4) ROW(X, 5) ROW(X, 6) ROW(X, 7)
ALL(ONE)
#define ENTRY(n) HANDLER(0, f##n),

int main(int argc, char **argv) {
  gasnet_handlerentry_t table[] = { ALL(ENTRY) };
  char used[256] = { 0 };
  int i, total = 0;
  check_start(&argc, &argv, table, COUNT_OF(table), 0);
  for (i = 0; i < 128; i++) {
    CHECK(table[i].index >= 128 && !used[table[i].index]);
    used[table[i].index] = 1;
    CHECK(gasnet_AMRequestShort0(next_rank(), table[i].index) == GASNET_OK);
  }
  while (total < 128) {
    gasnet_AMPoll();
    for (i = total = 0; i < 128; i++) total += calls[i];
  }
  for (i = 0; i < 128; i++) CHECK_EQ(calls[i], 1);
  return check_end();
}
