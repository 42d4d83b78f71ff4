/* What an archive says of itself: the texts of its conduit and thread mode, which build tools look for in libraries, too,
   and compare with those of objects. No program needs this member, so none links it. */
#include <gasnet.h>
