/* Data that both the program and the library touch. Defined in C with default visibility, so that the
   library reaches it through the GOT and copy relocations or a client's own definition keep working. */
#include <stddef.h>
#include <stdint.h>

/* struct gasneti_hot_t of abi/hot.rs: read by the inline fast paths. */
_Alignas(64) char gasneti_hot[64];

/* Per rank: 0 if its segment is not mapped here, else 1 + the bias of an address in it. Clients see it as const, so
   that compilers keep an entry in a register; a stale 0 only sends a call to its symbol. */
_Alignas(64) intptr_t gasneti_bias[65536];

/* The primordial team (team.rs), at an address that compilers know: its head is const to clients, as gasneti_bias is. */
_Alignas(64) char gasneti_tm0[256];

/* A client may define this to set the default of GASNET_MAX_SEGSIZE; 0 means it did not. */
__attribute__((weak)) uint64_t gasnet_max_segsize = 0;

/* The same as text, in the forms of that variable ("256MB/P"); NULL means that a client did not define it. */
__attribute__((weak)) const char *gasnet_max_segsize_str = NULL;

/* A client may point this at a function that attach calls once the segment is in place. */
__attribute__((weak)) void (*gasnet_client_attach_hook)(void *segbase, uintptr_t segsize) = NULL;

/* A debugger sets this to 0 to release a frozen process. */
volatile int gasnet_frozen = 0;
