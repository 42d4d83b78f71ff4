// As differing_calls_are_named, for calls whose messages differ in size. Over a network that loses packets a message may arrive before the
// call of its sender is known; the collective itself then objects to its size, without the calls.
// ranks: 2
// modes: par
// debug: yes
// needs: test -z "${GASNET_UDP_FAULTS-}"
// every case: exit nonzero; stderr /@AT@/
// case nbytes: stderr /nbytes 8, .*nbytes 4, |nbytes 4, .*nbytes 8, /
// case part: stderr /collective 1 over a team differs.*(elem_count 3.*elem_count 5|elem_count 5.*elem_count 3)/
#include "differing_calls_are_named.c"
