// Attach refuses a duplicate index, a reserved index (1 to 127), more entries than indices, and NULL with a count; a good table then attaches.
// ranks: 1 2
// expect: exit 0; chatter
#include "check.h"

static void nop(gasnet_token_t t) { (void)t; }

int main(int argc, char **argv) {
  gasnet_handlerentry_t twice[] = { HANDLER(200, nop), HANDLER(201, nop), HANDLER(200, nop) };
  gasnet_handlerentry_t reserved[] = { HANDLER(127, nop) };
  gasnet_handlerentry_t crowd[129];
  int i;
  check_init(&argc, &argv);
  CHECK_EQ(gasnet_attach(twice, 3, GASNET_PAGESIZE, 0), GASNET_ERR_BAD_ARG);
  CHECK_EQ(gasnet_attach(reserved, 1, GASNET_PAGESIZE, 0), GASNET_ERR_BAD_ARG);
  for (i = 0; i < 129; i++) crowd[i].index = 0, crowd[i].fnptr = (void (*)())nop;
  CHECK(gasnet_attach(crowd, 129, GASNET_PAGESIZE, 0) != GASNET_OK);
  CHECK_EQ(gasnet_attach(NULL, 2, GASNET_PAGESIZE, 0), GASNET_ERR_BAD_ARG);
  CHECK_EQ(gasnet_attach(twice, -1, GASNET_PAGESIZE, 0), GASNET_ERR_BAD_ARG);
  check_attach(twice, 2, GASNET_PAGESIZE);
  return check_end();
}
