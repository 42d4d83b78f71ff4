/* Casts of these headers, which warn neither in C (-Wcast-qual) nor in C++ (-Wold-style-cast, -Wuseless-cast). Each value
   is evaluated once and may be a constant. */
#ifndef GASNETI_CASTS_H
#define GASNETI_CASTS_H

#ifdef __cplusplus
__extension__ typedef unsigned long long gasneti_bits64_t;
/* A number as one of `type`. The choice makes it a long long, so that the cast is never to its own type. */
#define GASNETI_NUMBER(type, value) (static_cast<type>(true ? (value) : __extension__ 0LL))
/* A pointer from a pointer to something else, or from an address. */
#define GASNETI_POINTER(type, at) (reinterpret_cast<type>(at))
#define GASNETI_ADDRESS(at) (reinterpret_cast<uintptr_t>(at))
/* A pointer or a number as 64 bits. */
#define GASNETI_BITS64(value) (gasneti_bits64_t(value))
#define GASNETI_FUNCTION(type, function) (reinterpret_cast<type>(function))
#if __cplusplus >= 201103L
#define GASNETI_NULL(type) (static_cast<type>(nullptr))
#else
#define GASNETI_NULL(type) (static_cast<type>(0))
#endif
#else
#define GASNETI_NUMBER(type, value) ((type)(value))
#define GASNETI_POINTER(type, at) ((type)(void *)(at))
#define GASNETI_ADDRESS(at) ((uintptr_t)(at))
#define GASNETI_BITS64(value) ((uint64_t)(value))
#define GASNETI_FUNCTION(type, function) ((type)(function))
#define GASNETI_NULL(type) ((type)0)
#endif

#endif
