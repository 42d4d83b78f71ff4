/* What an archive says of itself: the texts of its conduit, thread mode and debug checks, which build tools look for in
   libraries, too, and compare with those of objects. No program needs this member, so none links it. */
#include <gasnet.h>
static void __attribute__((__used__)) gasneti_archive_idents(void) { gasneti_keep_idents(); }
