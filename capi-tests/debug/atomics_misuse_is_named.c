// A debug client whose atomic word is not aligned to its size is stopped with the call and its place.
// ranks: 1
// modes: par seq
// debug: compiled
// every case: exit nonzero; stderr /@AT@/
// case read: stderr /gasnett_atomic_read: the atomic word 0x[0-9a-f]+ is not aligned for its 4 bytes/
// case set: stderr /gasnett_atomic64_set:.*8 bytes/
// case add: stderr /gasnett_strongatomic64_add:.*8 bytes/
// case swap: stderr /gasnett_strongatomic32_compare_and_swap:.*4 bytes/
#include "misuse.h"
#include <gasnet_tools.h>

int main(int argc, char **argv) {
  static uint64_t words[4];
  char *at = (char *)words + 2;
  gasnett_atomic_t one[1] = { gasnett_atomic_init(5) };
  gasnett_atomic64_t big = gasnett_atomic64_init(7);
  check_start(&argc, &argv, NULL, 0, 0);
  misuse_begin(argc, argv);
  CHECK_EQ(gasnett_atomic_read(one, 0), 5);
  gasnett_atomic64_set(&big, 8, 0);
  CHECK_EQ(gasnett_atomic64_read(&big, 0), 8);
  MISUSE("read", CHECK_EQ(gasnett_atomic_read((gasnett_atomic_t *)(void *)at, 0), 0));
  MISUSE("set", gasnett_atomic64_set((gasnett_atomic64_t *)(void *)at, 1, 0));
  MISUSE("add", gasnett_strongatomic64_add((gasnett_strongatomic64_t *)(void *)(at + 2), 1, 0));
  MISUSE("swap", gasnett_strongatomic32_compare_and_swap((gasnett_strongatomic32_t *)(void *)at, 1, 0, 0));
  return check_end();
}
