/* GASNet tools: portable utilities for clients of GASNet and for programs that use only the tools. Compile multithreaded
   programs with -pthread or -DGASNETT_THREAD_SAFE; a file that also uses GASNet includes gasnet.h first.
   GASNETT_LITE_MODE selects the subset that does not depend on threads: timers, memory barriers, annotations. */
#ifndef _GASNET_TOOLS_H
#define _GASNET_TOOLS_H
#define _INCLUDED_GASNET_TOOLS_H 1

#include <gasneti/tools_compiler.h>
#include <gasneti/tools_config.h>
#include <gasneti/abi_tools.h>
#include <gasneti/tools_membar.h>
#include <gasneti/tools_timer.h>
#ifndef GASNETT_LITE_MODE
#include <gasneti/tools_atomic.h>
#include <gasneti/tools_lock.h>
#include <gasneti/tools_debug.h>
#include <gasneti/tools_misc.h>
#include <gasneti/tools_format.h>
#include <gasneti/tools_trace.h>
#endif
#include <gasneti/tools_compat.h>

#endif
