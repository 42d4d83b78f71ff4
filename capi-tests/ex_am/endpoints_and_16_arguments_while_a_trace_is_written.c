// As endpoints_have_handlers_of_their_own, while messages carry the numbers of a trace beside their endpoints.
// ranks: 2 3
// once: yes
// env: GASNET_TRACEFILE=/dev/null
#include "endpoints_have_handlers_of_their_own.c"
