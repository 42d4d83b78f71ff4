// A client that defines gasnet_max_segsize and gasnet_client_attach_hook sets the default limit, and its hook gets its segment.
// ranks: 1 2
// modes: par seq
#include "check.h"

uint64_t gasnet_max_segsize = 24u << 20;
static void *hook_base;
static uintptr_t hook_size;
static void hook(void *base, uintptr_t size) { hook_base = base, hook_size = size; }
void (*gasnet_client_attach_hook)(void *, uintptr_t) = hook;

int main(int argc, char **argv) {
  check_init(&argc, &argv);
  CHECK_EQ(gasnet_getMaxLocalSegmentSize(), 24u << 20);
  check_attach(NULL, 0, MiB(2));
  CHECK(hook_base == (void *)seg(me));
  CHECK_EQ(hook_size, MiB(2));
  return check_end();
}
