/* Some old build systems and clients look for this file; the handler types are in gasnet.h. */
#ifndef GASNETI_GASNET_HANDLER_H
#define GASNETI_GASNET_HANDLER_H
#include <gasnet.h>
#endif
