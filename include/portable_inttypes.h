/* Fixed-width integers and their printf formats, in C and C++. */
#ifndef GASNETI_PORTABLE_INTTYPES_H
#define GASNETI_PORTABLE_INTTYPES_H

/* Before C++11, these headers define their macros only on request. */
#ifdef __cplusplus
#ifndef __STDC_FORMAT_MACROS
#define __STDC_FORMAT_MACROS 1
#endif
#ifndef __STDC_LIMIT_MACROS
#define __STDC_LIMIT_MACROS 1
#endif
#ifndef __STDC_CONSTANT_MACROS
#define __STDC_CONSTANT_MACROS 1
#endif
#endif
#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>

/* size_t with printf: printf("%" PRIuSZ, sizeof(x)) */
#ifndef PRIuSZ
#define PRIuSZ "zu"
#endif
#ifndef PRIdSZ
#define PRIdSZ "zd"
#endif
#ifndef PRIxSZ
#define PRIxSZ "zx"
#endif

#endif
