/* Remote atomics: atomic domains and their operations. The functions and their documentation are in gasneti/abi.h. */
#ifndef GASNET_RATOMIC_H
#define GASNET_RATOMIC_H

#include <gasnetex.h>

#endif
