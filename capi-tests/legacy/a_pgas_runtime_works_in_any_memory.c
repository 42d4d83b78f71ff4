// The runtime of examples/pgas with shared memory that each rank takes from its heap.
// modes: par
// ranks: 2 3
// cflags: -DGASNET_SEGMENT_EVERYTHING
#include "a_pgas_runtime_keeps_its_promises.c"
