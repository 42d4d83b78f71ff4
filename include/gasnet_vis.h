/* Non-contiguous transfers: the type that describes a piece of memory. */
#ifndef GASNET_VIS_H
#define GASNET_VIS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* `len` bytes at `addr`. */
typedef struct gasnet_memvec_t {
  void *addr;
  size_t len;
} gasnet_memvec_t;

#ifdef __cplusplus
}
#endif

#endif
