/* Versions and features of this library. Literal constants only, because build tools read this file as text. */
#ifndef GASNET_CONFIG_H
#define GASNET_CONFIG_H

#define GASNETI_RELEASE_VERSION 2025.8.0
#define GASNET_RELEASE_VERSION_MAJOR 2025
#define GASNET_RELEASE_VERSION_MINOR 8
#define GASNET_RELEASE_VERSION_PATCH 0

/* The specifications: of GASNet-EX, of GASNet-1, of the tools. gasnetex.h, gasnet.h and gasnet_tools.h have their names. */
#define GASNETI_EX_SPEC_VERSION_MAJOR 0
#define GASNETI_EX_SPEC_VERSION_MINOR 19
#define GASNETI_SPEC_VERSION_MAJOR 1
#define GASNETI_SPEC_VERSION_MINOR 8
#define GASNETI_TOOLS_SPEC_VERSION_MAJOR 1
#define GASNETI_TOOLS_SPEC_VERSION_MINOR 20

#define GASNETI_BUILD_ID "libgasnet-1.0.0"
#define GASNETI_CONFIGURE_ARGS "conduits, thread modes, debug checks and tracing are chosen at run time"
#if defined(__aarch64__)
#define GASNETI_SYSTEM_TUPLE "aarch64-unknown-linux-gnu"
#elif defined(__riscv)
#define GASNETI_SYSTEM_TUPLE "riscv64-unknown-linux-gnu"
#elif defined(__powerpc64__)
#define GASNETI_SYSTEM_TUPLE "powerpc64le-unknown-linux-gnu"
#else
#define GASNETI_SYSTEM_TUPLE "x86_64-pc-linux-gnu"
#endif
#define GASNETI_SYSTEM_NAME "linux"

#define GASNETI_CACHE_LINE_BYTES 64
/* Of aarch64 and powerpc64le, whose kernels have pages of 4, 16 or 64 KiB: the largest, a multiple of each. */
#if defined(__aarch64__) || defined(__powerpc64__)
#define GASNETI_PAGESIZE 65536
#define GASNETI_PAGESHIFT 16
#else
#define GASNETI_PAGESIZE 4096
#define GASNETI_PAGESHIFT 12
#endif
#ifndef GASNETI_MAX_THREADS
#define GASNETI_MAX_THREADS 256
#endif

/* Feature macros that programs test. HAVE_PTHREAD_H is not defined for single-threaded clients that use only the
   tools. */
#if !defined(HAVE_PTHREAD_H) && !defined(GASNETI_TOOLS_WITHOUT_THREADS)
#define HAVE_PTHREAD_H 1
#endif
#if !defined(HAVE_PTHREAD_SETCONCURRENCY) && \
    (!defined(__STRICT_ANSI__) || defined(_GNU_SOURCE) || defined(_DEFAULT_SOURCE) || defined(_XOPEN_SOURCE))
#define HAVE_PTHREAD_SETCONCURRENCY 1
#endif
#ifndef HAVE_MMAP
#define HAVE_MMAP 1
#endif
#ifndef SIZEOF_INT
#define SIZEOF_INT 4
#endif

#endif
