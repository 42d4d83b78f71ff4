/* Internal declarations of the runtime. */
#ifndef PGAS_INSIDE_H
#define PGAS_INSIDE_H

#include <gasnet.h>
#include <gasnet_tools.h>

#include "pgas.h"

/* Client handlers are numbered from 128. */
enum { PGAS_HEAP_AT = 128, PGAS_STEP, PGAS_LOCK_ASK, PGAS_LOCK_ANSWER, PGAS_LOCK_RETURN, PGAS_LOCK_RETURNED, PGAS_LOCK_YOURS };

#define PGAS_MAX_LOCAL 64 /* threads of a rank */

extern uint32_t pgas_local_threads; /* of each rank */
extern __thread uint32_t pgas_self; /* among the threads of this rank */

static inline gasnet_node_t pgas_rank_of(uint32_t thread) { return (gasnet_node_t)(thread / pgas_local_threads); }
static inline uint32_t pgas_index_of(uint32_t thread) { return thread % pgas_local_threads; }

void pgas_lock_start(void);
/* On every thread. */
void pgas_together_start_thread(void);
void pgas_on_step(gasnet_token_t token, gasnet_handlerarg_t which, gasnet_handlerarg_t round);
void pgas_on_lock_ask(gasnet_token_t token, gasnet_handlerarg_t high, gasnet_handlerarg_t low, gasnet_handlerarg_t thread,
                      gasnet_handlerarg_t wait);
void pgas_on_lock_answer(gasnet_token_t token, gasnet_handlerarg_t index, gasnet_handlerarg_t granted);
void pgas_on_lock_return(gasnet_token_t token, gasnet_handlerarg_t high, gasnet_handlerarg_t low,
                         gasnet_handlerarg_t thread);
void pgas_on_lock_returned(gasnet_token_t token, gasnet_handlerarg_t index, gasnet_handlerarg_t next);
void pgas_on_lock_yours(gasnet_token_t token, gasnet_handlerarg_t index);

#endif
