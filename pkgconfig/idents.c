/* The identification strings of an archive: its conduit, thread mode and debug checks. Build tools read them from libraries
   and compare them with those of objects. No program refers to this member, so it is never linked. */
#include <gasnet.h>
static void __attribute__((__used__)) gasneti_archive_idents(void) { gasneti_keep_idents(); }
