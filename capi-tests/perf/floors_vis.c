/* The loops that strided transfers replace, written out for each shape, in private memory. Rows of a constant
   short length are compiled to moves; long ones would become `rep movs`, which is slower than a call. */
#include "floors.h"
#include "vis.h"

#include <string.h>

#define DEFINE(text, id, elem, rows, pitch, planes, height)                                                     \
  static void id(int rank, uint64_t from, uint64_t n) {                                                         \
    (void)from;                                                                                                 \
    if (rank != 0) return;                                                                                      \
    for (uint64_t i = 0; i < n; i++) {                                                                          \
      char *to = private_bytes, *source = private_bytes + VIS_BYTES + VIS_SHIFT;                                \
      size_t length = elem;                                                                                     \
      if (length > 128) __asm__("" : "+r"(length));                                                             \
      for (size_t plane = 0; plane < (planes); plane++)                                                         \
        for (size_t row = 0; row < (rows); row++)                                                               \
          memcpy(to + plane * (height) + row * (pitch), source + plane * (height) + row * (pitch), length);     \
      __asm__ volatile("" ::: "memory");                                                                        \
    }                                                                                                           \
  }
VIS_SHAPES(DEFINE)

#define ROW(text, id, elem, rows, pitch, planes, height) {text, id, BYTES},
const struct floor vis_floors[] = {VIS_SHAPES(ROW){NULL, NULL, PAIR}};
