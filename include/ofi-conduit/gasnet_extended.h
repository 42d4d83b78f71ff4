/* Some build systems look for this file by name; all of it is in gasnet.h. */
#ifndef GASNETI_GASNET_EXTENDED_H
#define GASNETI_GASNET_EXTENDED_H
#include <gasnet.h>
#endif
