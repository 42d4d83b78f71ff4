/* Non-contiguous put and get: vector, indexed and strided, gex_VIS_* and the gasnet_*v, *i and *s names of GASNet-1.
   Types and functions are in gasneti/abi.h. */
#ifndef GASNET_VIS_H
#define GASNET_VIS_H

#include <gasnetex.h>

/* The largest payload of a peer completion handler, in bytes. */
#define GEX_VIS_MAX_PEERCOMPLETION 127

#endif
