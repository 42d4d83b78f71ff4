// Entries with index 0 get a free client index (128 to 255), written back, distinct, equal on all ranks, and callable.
#include "check.h"

static int hits[6];
static int wrong;
static void h0(gasnet_token_t t) { (void)t; hits[0]++; }
static void h1(gasnet_token_t t) { (void)t; hits[1]++; }
static void h2(gasnet_token_t t) { (void)t; hits[2]++; }
static void h3(gasnet_token_t t) { (void)t; hits[3]++; }
static void h4(gasnet_token_t t) { (void)t; hits[4]++; }
static void compare(gasnet_token_t t, void *buf, size_t n);

static gasnet_handlerentry_t table[] = {
  HANDLER(0, h0), HANDLER(128, h1), HANDLER(0, h2), HANDLER(255, compare), HANDLER(0, h3), HANDLER(254, h4),
};
static void compare(gasnet_token_t t, void *buf, size_t n) {
  int i;
  (void)t;
  CHECK_EQ(n, COUNT_OF(table));
  for (i = 0; i < COUNT_OF(table); i++)
    if (((unsigned char *)buf)[i] != table[i].index) wrong++;
  hits[5]++;
}

int main(int argc, char **argv) {
  unsigned char indices[COUNT_OF(table)];
  int i, j;
  check_start(&argc, &argv, table, COUNT_OF(table), 0);
  for (i = 0; i < COUNT_OF(table); i++) {
    indices[i] = table[i].index;
    CHECK(table[i].index >= 128);
    for (j = 0; j < i; j++) CHECK(table[i].index != table[j].index);
  }
  CHECK_EQ(table[1].index, 128);
  CHECK_EQ(table[3].index, 255);
  CHECK_EQ(table[5].index, 254);
  CHECK(gasnet_AMRequestMedium0(next_rank(), 255, indices, sizeof indices) == GASNET_OK);
  GASNET_BLOCKUNTIL(hits[5] == 1);
  CHECK_EQ(wrong, 0);
  for (i = 0; i < COUNT_OF(table); i++)
    if (i != 3) CHECK(gasnet_AMRequestShort0(prev_rank(), indices[i]) == GASNET_OK);
  GASNET_BLOCKUNTIL(hits[0] + hits[1] + hits[2] + hits[3] + hits[4] == 5);
  for (i = 0; i < 5; i++) CHECK_EQ(hits[i], 1);
  return check_end();
}
