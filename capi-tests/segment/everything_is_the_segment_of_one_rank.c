// With GASNET_SEGMENT_EVERYTHING all memory of the process can be reached by put, get and Long: stack, heap and statics.
// ranks: 1
// cflags: -DGASNET_SEGMENT_EVERYTHING
#include "check.h"

static volatile int hit;
static char in_data[64];
static void on_long(gasnet_token_t t, void *buf, size_t n) {
  (void)t;
  CHECK((char *)buf == in_data && n == 64 && filled(buf, n, 3));
  hit = 1;
}

int main(int argc, char **argv) {
  gasnet_handlerentry_t table[] = { HANDLER(200, on_long) };
  char on_stack[100], *on_heap, source[5000];
  gasnet_seginfo_t info;
  gasnet_nodeinfo_t node;
  check_init(&argc, &argv);
  CHECK(gasnet_getMaxLocalSegmentSize() == (uintptr_t)-1);
  CHECK(gasnet_getMaxGlobalSegmentSize() == (uintptr_t)-1);
  MUST(gasnet_attach(table, 1, 0, 0) == GASNET_OK);
  CHECK(gasnet_getSegmentInfo(&info, 1) == GASNET_OK);
  CHECK(info.addr == NULL && info.size == (uintptr_t)-1);
  CHECK(gasnet_getNodeInfo(&node, 1) == GASNET_OK && node.offset == 0);
  on_heap = (char *)malloc(5000);
  MUST(on_heap != NULL);
  fill(source, 5000, 1);
  gasnet_put(0, on_stack, source, 100);
  CHECK(filled(on_stack, 100, 1));
  gasnet_put_bulk(0, on_heap, source, 5000);
  CHECK(filled(on_heap, 5000, 1));
  gasnet_memset(0, on_stack, 9, 100);
  gasnet_get(source, 0, on_stack, 100);
  CHECK(all_bytes(source, 100, 9));
  gasnet_put_val(0, in_data, 0x1234, 2);
  CHECK(gasnet_get_val(0, in_data, 8) == 0x1234);
  fill(source, 64, 3);
  CHECK(gasnet_AMRequestLong0(0, 200, source, 64, in_data) == GASNET_OK);
  GASNET_BLOCKUNTIL(hit);
  return check_end();
}
