// A transfer of no bytes accesses no memory and is complete, for any addresses; the compiler may not conclude anything from them.
// cflags: -fsanitize=nonnull-attribute -fsanitize-undefined-trap-on-error
#include "check.h"

static int is_null(void *p, size_t n) __attribute__((noinline));
static int is_null(void *p, size_t n) {
  gasnet_put(next_rank(), seg(next_rank()), p, n);
  gasnet_put_nbi_bulk(next_rank(), seg(next_rank()), p, n);
  gasnet_get_bulk(p, next_rank(), seg(next_rank()), n);
  gasnet_get_nbi(p, next_rank(), seg(next_rank()), n);
  gasnet_wait_syncnbi_all();
  return p == NULL;
}

int main(int argc, char **argv) {
  gasnet_handle_t handle[7];
  gasnet_node_t to;
  void *end;
  int i;
  check_start(&argc, &argv, NULL, 0, GASNET_PAGESIZE);
  to = next_rank();
  end = seg(to) + seg_size(to);
  memset(seg(me), 0x5A, GASNET_PAGESIZE);
  barrier();
  gasnet_put(to, end, NULL, 0);
  gasnet_put_bulk(to, NULL, NULL, 0);
  gasnet_get(NULL, to, end, 0);
  gasnet_get_bulk(NULL, to, NULL, 0);
  gasnet_memset(to, seg(to), 0, 0);
  handle[0] = gasnet_put_nb(to, seg(to), NULL, 0);
  handle[1] = gasnet_put_nb_bulk(to, NULL, NULL, 0);
  handle[2] = gasnet_get_nb(NULL, to, seg(to), 0);
  handle[3] = gasnet_get_nb_bulk(NULL, to, NULL, 0);
  handle[4] = gasnet_memset_nb(to, seg(to), 0, 0);
  gasnet_begin_nbi_accessregion();
  gasnet_put_nbi(to, seg(to), NULL, 0);
  gasnet_put_nbi_bulk(to, end, NULL, 0);
  gasnet_get_nbi(NULL, to, seg(to), 0);
  gasnet_get_nbi_bulk(NULL, to, end, 0);
  gasnet_memset_nbi(to, seg(to), 0, 0);
  handle[5] = gasnet_end_nbi_accessregion();
  gasnet_begin_nbi_accessregion();
  handle[6] = gasnet_end_nbi_accessregion();
  gasnet_wait_syncnb_all(handle, 7);
  for (i = 0; i < 7; i++) CHECK(handle[i] == GASNET_INVALID_HANDLE);
  CHECK(gasnet_try_syncnb_all(handle, 0) == GASNET_OK && gasnet_try_syncnb_some(NULL, 0) == GASNET_OK);
  CHECK(is_null(NULL, 0));
  barrier();
  CHECK(all_bytes(seg(me), GASNET_PAGESIZE, 0x5A));
  return check_end();
}
