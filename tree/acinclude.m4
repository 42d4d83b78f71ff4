dnl Clients' makefiles name this file as a prerequisite of their aclocal.m4. Their configure comes with their release and
dnl needs nothing from here. The macros with which they were written (GASNET_*) belong to GASNet's own sources: to run a
dnl client's Bootstrap, put the tree of those sources in place of this one, and this one back afterwards.
