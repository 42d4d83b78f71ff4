/* The older name of gasnet_portable_platform.h. */
#include "gasnet_portable_platform.h"
