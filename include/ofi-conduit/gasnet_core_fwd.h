/* Some build systems look for this file by name; all of it is in gasneti_conduit.h. */
#ifndef GASNETI_GASNET_CORE_FWD_H
#define GASNETI_GASNET_CORE_FWD_H
#include <gasneti_conduit.h>
#endif
