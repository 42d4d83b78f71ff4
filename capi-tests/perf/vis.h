/* Blocks that gasnet_perf moves by strided put and get, and floors copies in private memory. */
#ifndef PERF_VIS_H
#define PERF_VIS_H

/* X(name, bytes of a row, rows, from row to row, planes, from plane to plane): in the middle of larger arrays. */
#define VIS_SHAPES(X)                                                   \
  X("2d-64x512", v2d_64x512, 512, 64, 1536, 1, 0)                       \
  X("2d-256x4096", v2d_256x4096, 4096, 256, 6144, 1, 0)                 \
  X("2d-1000x8", v2d_1000x8, 8, 1000, 256, 1, 0)                        \
  X("2d-1000x24", v2d_1000x24, 24, 1000, 256, 1, 0)                     \
  X("2d-1000x100", v2d_1000x100, 100, 1000, 256, 1, 0)                  \
  X("3d-32x32x64", v3d_32x32x64, 64, 32, 128, 32, 5120)                 \
  X("3d-16x16x128", v3d_16x16x128, 128, 16, 320, 16, 6400)              \
  X("3d-64x64x8", v3d_64x64x8, 8, 64, 64, 64, 6144)
/* VIS_BYTES: the size of each of the two arrays. The largest block ends before VIS_ARRAY; the source's block begins after
   VIS_SHIFT, so that the processor does not assume that loads depend on stores 4 KiB apart. */
#define VIS_BYTES ((size_t)2 << 20)
#define VIS_ARRAY (VIS_BYTES - 4096)
#define VIS_SHIFT 832

#endif
