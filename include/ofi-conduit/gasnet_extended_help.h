/* Some build systems look for this file by name; all of it is in gasnet.h. */
#ifndef GASNETI_GASNET_EXTENDED_HELP_H
#define GASNETI_GASNET_EXTENDED_HELP_H
#include <gasnet.h>
#endif
