/* Compiled to assembly by run, which looks for fences in each function. */
#include <gasnet.h>
#include <gasnet_tools.h>

void put(void *to, uint64_t *from) { gasnet_put(1, to, from, 8); }
void put_val(void *to) { gasnet_put_val(1, to, 7, 8); }
void get(uint64_t *to, void *from) { gasnet_get(to, 1, from, 8); }
uint64_t get_val(void *from) { return gasnet_get_val(1, from, 8); }
void plain_add(gasnett_atomic_t *word) { gasnett_atomic_add(word, 1, 0); }
void full_add(gasnett_atomic_t *word) { gasnett_atomic_add(word, 1, GASNETT_ATOMIC_MB_POST); }
void full_set(gasnett_atomic_t *word) { gasnett_atomic_set(word, 1, GASNETT_ATOMIC_MB_POST); }
