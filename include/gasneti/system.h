/* The system headers included by gasnet.h, gasnetex.h and gasnet_tools.h: clients use printf, INT_MAX, sched_yield, MIN
   and others without including their headers. Multithreaded clients also get pthread.h and time.h. */
#ifndef GASNETI_SYSTEM_H
#define GASNETI_SYSTEM_H

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <portable_inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>
#if GASNETI_THREADS
#include <pthread.h>
#include <time.h>
#endif

/* sys/param.h redefines MIN and MAX; definitions of the client are kept. */
#ifdef MIN
#pragma push_macro("MIN")
#undef MIN
#define GASNETI_CLIENT_HAS_MIN 1
#endif
#ifdef MAX
#pragma push_macro("MAX")
#undef MAX
#define GASNETI_CLIENT_HAS_MAX 1
#endif
#include <sys/param.h>
#ifdef GASNETI_CLIENT_HAS_MIN
#undef MIN
#pragma pop_macro("MIN")
#endif
#ifdef GASNETI_CLIENT_HAS_MAX
#undef MAX
#pragma pop_macro("MAX")
#endif
#ifndef MIN
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#endif
#ifndef MAX
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#endif

#endif
