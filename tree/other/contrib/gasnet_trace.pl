#!/usr/bin/env perl
# For clients that look for the program under this name: runs the installed gasnet_trace.
exec { '@PREFIX@/bin/gasnet_trace' } $0, @ARGV or die "$0: cannot run @PREFIX@/bin/gasnet_trace: $!\n";
