// A debug client that synchronises an invalid handle is stopped with the call and its place.
// ranks: 1
// modes: par
// debug: yes
// every case: exit nonzero; stderr /@AT@/
// case garbage: stderr /gasnet_wait_syncnb.*handle/
// case garbage_try: stderr /gasnet_try_syncnb.*handle/
// case garbage_in_array: stderr /gasnet_wait_syncnb_all.*handle/
#include "misuse.h"

int main(int argc, char **argv) {
  check_start(&argc, &argv, NULL, 0, KiB(64));
  misuse_begin(argc, argv);
  MISUSE("garbage", gasnet_wait_syncnb((gasnet_handle_t)(uintptr_t)0xDEADBEE8u));
  MISUSE("garbage_try", gasnet_try_syncnb((gasnet_handle_t)(uintptr_t)0xDEADBEE8u));
  MISUSE("garbage_in_array", { gasnet_handle_t a[2] = { GASNET_INVALID_HANDLE, (gasnet_handle_t)(uintptr_t)0xDEADBEE8u }; gasnet_wait_syncnb_all(a, 2); });
  return check_end();
}
