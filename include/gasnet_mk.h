/* Memory kinds: memory of the host and of devices. The functions and their documentation are in gasneti/abi.h. */
#ifndef GASNET_MK_H
#define GASNET_MK_H

#include <gasnetex.h>

#endif
