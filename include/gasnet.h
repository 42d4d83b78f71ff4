/* GASNet-1: Active Messages, one-sided put and get, barriers, for one of the modes GASNET_SEQ, GASNET_PARSYNC and
   GASNET_PAR, which the client defines, over the objects of GASNet-EX, whose names come with it, as do gasnet_tools.h
   and the system's headers of gasneti/system.h. The functions and their documentation are in gasneti/abi.h. */
#ifndef _GASNET_H
#define _GASNET_H
#define _INCLUDED_GASNET_H 1

#include <gasnetex.h>
#include <gasneti/am_arity.h>

#define GASNET_SPEC_VERSION_MAJOR GASNETI_SPEC_VERSION_MAJOR
#define GASNET_SPEC_VERSION_MINOR GASNETI_SPEC_VERSION_MINOR
#define GASNET_VERSION GASNET_SPEC_VERSION_MAJOR
#define SIZEOF_GASNET_REGISTER_VALUE_T SIZEOF_GEX_RMA_VALUE_T

#ifdef __cplusplus
extern "C" {
#endif

#ifdef GASNETI_SRCLINES
#define gasnet_init(argc, argv) \
  (gasneti_keep_idents(), gasneti_at(__FILE__, __LINE__), gasneti_init((argc), (argv), GASNETI_RECORDS))
#else
#define gasnet_init(argc, argv) (gasneti_keep_idents(), gasneti_init((argc), (argv), GASNETI_RECORDS))
#endif

#define GASNET_HSL_INITIALIZER GEX_HSL_INITIALIZER

#if !defined(GASNETI_SRCLINES) && !defined(GASNETI_NO_INLINE)
/* Handlers run only inside calls of the library, so a no-interrupt section requires no action except in debug clients. */
GASNETI_INLINE void gasneti_fast_hold_interrupts(void) {
  if (__builtin_expect(gasneti_fixed.debug, 0)) gasnet_hold_interrupts();
}
GASNETI_INLINE void gasneti_fast_resume_interrupts(void) {
  if (__builtin_expect(gasneti_fixed.debug, 0)) gasnet_resume_interrupts();
}
#define gasnet_hold_interrupts() gasneti_fast_hold_interrupts()
#define gasnet_resume_interrupts() gasneti_fast_resume_interrupts()
#ifdef GASNET_SEQ
#define gasnet_hsl_lock(hsl) gasneti_fast_hsl_lock(hsl)
#define gasnet_hsl_unlock(hsl) gasneti_fast_hsl_unlock(hsl)
#define gasnet_hsl_trylock(hsl) gasneti_fast_hsl_trylock(hsl)
#endif
#define gasnet_mynode() gasneti_fast_mynode()
#define gasnet_nodes() gasneti_fast_nodes()
#endif

#ifdef __cplusplus
}
#endif

#include <gasneti/inline.h>
#include <gasnet_vis.h>
#include <gasnet_coll.h>
#include <gasnet_tools.h>
#include <gasneti/tools_format.h>

#endif
