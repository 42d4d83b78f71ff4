// GASNET_INVALID_HANDLE is zero and done: try and wait succeed on it, on arrays of it and on empty arrays.
#include "check.h"

int main(int argc, char **argv) {
  gasnet_handle_t h[5];
  check_start(&argc, &argv, NULL, 0, GASNET_PAGESIZE);
  memset(h, 0, sizeof h);
  CHECK(h[0] == GASNET_INVALID_HANDLE);
  CHECK(gasnet_try_syncnb(GASNET_INVALID_HANDLE) == GASNET_OK);
  CHECK(gasnet_try_syncnb_nopoll(GASNET_INVALID_HANDLE) == GASNET_OK);
  gasnet_wait_syncnb(GASNET_INVALID_HANDLE);
  CHECK(gasnet_try_syncnb_all(h, 5) == GASNET_OK);
  CHECK(gasnet_try_syncnb_some(h, 5) == GASNET_OK);
  CHECK(gasnet_try_syncnb_all_nopoll(h, 5) == GASNET_OK);
  CHECK(gasnet_try_syncnb_some_nopoll(h, 5) == GASNET_OK);
  gasnet_wait_syncnb_all(h, 5);
  gasnet_wait_syncnb_some(h, 5);
  CHECK(gasnet_try_syncnb_all(NULL, 0) == GASNET_OK);
  CHECK(gasnet_try_syncnb_some(NULL, 0) == GASNET_OK);
  gasnet_wait_syncnb_all(NULL, 0);
  gasnet_wait_syncnb_some(NULL, 0);
  return check_end();
}
