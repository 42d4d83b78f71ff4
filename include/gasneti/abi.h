#ifndef GASNETI_ABI_H
#define GASNETI_ABI_H

/* Generated from src/abi by 'make headers'. Edit the Rust source, not this file. */

#include <stddef.h>
#include <stdint.h>

/* Linkage, inlining and attributes for every header of this library. */
#ifndef GASNETI_INLINE
#define GASNETI_INLINE static __inline__
#define GASNETI_NORETURN __attribute__((__noreturn__))
#endif



/**
 * 'state' of an initialised lock; what GASNET_HSL_INITIALIZER stores.
 */
#define GASNETI_HSL_READY 1213418545

/**
 * 'state' of a destroyed lock.
 */
#define GASNETI_HSL_DESTROYED 1213418544

/**
 * A process of the job.
 */
typedef uint32_t gasnet_node_t;

/**
 * Index into the AM handler table.
 */
typedef uint8_t gasnet_handler_t;

/**
 * An AM argument: 32 bits, sign-extended.
 */
typedef int32_t gasnet_handlerarg_t;

/**
 * Names the message being handled; valid only inside its handler, on its thread.
 */
typedef void *gasnet_token_t;

/**
 * One record of the client's 'gasneti_client' section.
 */
typedef struct gasneti_client_record_t {
  /**
   * ABI number of the headers.
   */
  uint32_t abi;
  /**
   * 1 SEQ, 2 PARSYNC, 3 PAR.
   */
  uint8_t threads;
  /**
   * 1 if compiled with -DGASNET_DEBUG.
   */
  uint8_t debug;
  /**
   * 1 FAST, 2 LARGE, 3 EVERYTHING.
   */
  uint8_t segment;
  /**
   * Zero.
   */
  uint8_t reserved;
  /**
   * Conduit asked for, lower case.
   */
  const char *conduit;
  /**
   * The source file.
   */
  const char *file;
} gasneti_client_record_t;

/**
 * A handler table entry. The headers define it themselves: its function pointer has no prototype in C.
 */
typedef struct gasnet_handlerentry_t {
  uint8_t index;
  void *fnptr;
} gasnet_handlerentry_t;

/**
 * A segment: 'addr' in its owner's address space, 'size' in bytes.
 */
typedef struct gasnet_seginfo_t {
  void *addr;
  size_t size;
} gasnet_seginfo_t;

/**
 * Where a rank runs; 'offset' added to an address in its segment gives the local mapping.
 */
typedef struct gasnet_nodeinfo_t {
  gasnet_node_t host;
  gasnet_node_t supernode;
  size_t offset;
} gasnet_nodeinfo_t;

/**
 * What a wait in progress needs; zero-initialised by the caller.
 */
typedef struct gasneti_wait_t {
  uint64_t opaque[6];
} gasneti_wait_t;

/**
 * A handler-safe lock. Use the functions; the fields are the library's.
 */
typedef struct gasnet_hsl_t {
  uint32_t word;
  uint32_t state;
  /**
   * Thread that holds it, plus one (debug).
   */
  uint32_t owner;
  uint32_t reserved;
  /**
   * When it was taken (debug).
   */
  uint64_t since_ns;
} gasnet_hsl_t;

/**
 * What the inline fast paths read; 64 bytes, defined in C so that the program and the library share one copy.
 */
typedef struct gasneti_hot_t {
  /**
   * This process's rank.
   */
  uint32_t mynode;
  /**
   * Ranks in the job.
   */
  uint32_t nodes;
  /**
   * Per rank: what to add to an address in its segment to reach it from here, or GASNETI_NOT_DIRECT.
   */
  const ptrdiff_t *bias;
  /**
   * 1 when only one thread calls the library at a time.
   */
  uint8_t serial;
  /**
   * 1 when usage checks are on.
   */
  uint8_t debug;
  /**
   * Reserved, zero.
   */
  uint8_t reserved[46];
} gasneti_hot_t;

/**
 * The widest unsigned integer that fits one register.
 */
typedef size_t gasnet_register_value_t;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Sends a Short request with 'nargs' arguments to handler 'handler' of 'dest'.
 *
 * Polls, and may run handlers; waits for room. Not from a handler. Returns GASNET_OK.
 *
 * Source: GASNet 1.8, "Active Message Request Functions".
 *
 * The caller sees to it that:
 * 'args' has 'nargs' elements.
 */
int gasneti_AMRequestShort(gasnet_node_t dest,
                           gasnet_handler_t handler,
                           const gasnet_handlerarg_t *args,
                           int nargs);

/**
 * Sends a Medium request: 'nbytes' bytes from 'source_addr' arrive in a buffer of the library's.
 *
 * On return the source may be reused. Polls, and may run handlers; waits for room. Not from a handler.
 * Returns GASNET_OK.
 *
 * Source: GASNet 1.8, "Active Message Request Functions".
 *
 * The caller sees to it that:
 * 'args' has 'nargs' elements; 'source_addr' has 'nbytes' readable bytes.
 */
int gasneti_AMRequestMedium(gasnet_node_t dest,
                            gasnet_handler_t handler,
                            const void *source_addr,
                            size_t nbytes,
                            const gasnet_handlerarg_t *args,
                            int nargs);

/**
 * Sends a Long request: 'nbytes' bytes are written at 'dest_addr' in the segment of 'dest' before its handler runs.
 *
 * On return the source may be reused. Polls, and may run handlers; waits for room. Not from a handler.
 * Returns GASNET_OK.
 *
 * Source: GASNet 1.8, "Active Message Request Functions".
 *
 * The caller sees to it that:
 * 'args' has 'nargs' elements; 'source_addr' has 'nbytes' readable bytes; 'dest_addr' lies in the target's segment.
 */
int gasneti_AMRequestLong(gasnet_node_t dest,
                          gasnet_handler_t handler,
                          const void *source_addr,
                          size_t nbytes,
                          void *dest_addr,
                          const gasnet_handlerarg_t *args,
                          int nargs);

/**
 * As gasneti_AMRequestLong, but the source must stay unchanged until the matching reply handler starts.
 *
 * Source: GASNet 1.8, "Active Message Request Functions".
 *
 * The caller sees to it that:
 * As gasneti_AMRequestLong.
 */
int gasneti_AMRequestLongAsync(gasnet_node_t dest,
                               gasnet_handler_t handler,
                               const void *source_addr,
                               size_t nbytes,
                               void *dest_addr,
                               const gasnet_handlerarg_t *args,
                               int nargs);

/**
 * Replies to the request of 'token' with a Short message. At most once, from its handler. Returns GASNET_OK.
 *
 * Source: GASNet 1.8, "Active Message Reply Functions".
 *
 * The caller sees to it that:
 * 'token' is the one passed to the running handler; 'args' has 'nargs' elements.
 */
int gasneti_AMReplyShort(gasnet_token_t token,
                         gasnet_handler_t handler,
                         const gasnet_handlerarg_t *args,
                         int nargs);

/**
 * Replies to the request of 'token' with a Medium message. At most once, from its handler. Returns GASNET_OK.
 *
 * Source: GASNet 1.8, "Active Message Reply Functions".
 *
 * The caller sees to it that:
 * As gasneti_AMReplyShort; 'source_addr' has 'nbytes' readable bytes.
 */
int gasneti_AMReplyMedium(gasnet_token_t token,
                          gasnet_handler_t handler,
                          const void *source_addr,
                          size_t nbytes,
                          const gasnet_handlerarg_t *args,
                          int nargs);

/**
 * Replies to the request of 'token' with a Long message. At most once, from its handler. Returns GASNET_OK.
 *
 * Source: GASNet 1.8, "Active Message Reply Functions".
 *
 * The caller sees to it that:
 * As gasneti_AMReplyMedium; 'dest_addr' lies in the requester's segment.
 */
int gasneti_AMReplyLong(gasnet_token_t token,
                        gasnet_handler_t handler,
                        const void *source_addr,
                        size_t nbytes,
                        void *dest_addr,
                        const gasnet_handlerarg_t *args,
                        int nargs);

/**
 * Stores the rank that sent the message of 'token' in '*srcindex'. Legal in any handler. Returns GASNET_OK, or
 * GASNET_ERR_BAD_ARG if 'srcindex' is NULL.
 *
 * Source: GASNet 1.8, "Misc. Active Message Functions".
 *
 * The caller sees to it that:
 * 'token' is the one passed to the running handler; 'srcindex' may be written.
 */
int gasnet_AMGetMsgSource(gasnet_token_t token,
                          gasnet_node_t *srcindex);

/**
 * Handles messages that have arrived. Returns GASNET_OK. Not from a handler.
 *
 * Source: GASNet 1.8, "Misc. Active Message Functions".
 */
int gasnet_AMPoll(void);

/**
 * Most arguments of an Active Message: 16.
 *
 * Source: GASNet 1.8, "Active Message Size Limits".
 */
size_t gasnet_AMMaxArgs(void);

/**
 * Largest payload of a Medium message, in bytes.
 *
 * Source: GASNet 1.8, "Active Message Size Limits".
 */
size_t gasnet_AMMaxMedium(void);

/**
 * Largest payload of a Long request, in bytes; the target's segment is the real limit.
 *
 * Source: GASNet 1.8, "Active Message Size Limits".
 */
size_t gasnet_AMMaxLongRequest(void);

/**
 * Largest payload of a Long reply, in bytes; the requester's segment is the real limit.
 *
 * Source: GASNet 1.8, "Active Message Size Limits".
 */
size_t gasnet_AMMaxLongReply(void);

/**
 * Starts the job of a client whose translation units left records from 'first' to 'last': what the macro
 * gasnet_init calls. Returns GASNET_OK, or GASNET_ERR_NOT_INIT at a second call.
 *
 * The caller sees to it that:
 * 'first..last' is the client's 'gasneti_client' section (both may be null). 'argc' and 'argv' are main's or null.
 */
int gasneti_init(int *_argc,
                 char ***_argv,
                 const struct gasneti_client_record_t *first,
                 const struct gasneti_client_record_t *last);

/**
 * Starts the job of a client that was not compiled against the headers: PAR, release.
 *
 * First call of the program; may run in a different number of processes before and after. Returns GASNET_OK, or
 * GASNET_ERR_NOT_INIT at a second call.
 *
 * Source: GASNet 1.8, "gasnet_init".
 *
 * The caller sees to it that:
 * 'argc' and 'argv' are main's or null.
 */
int gasnet_init(int *_argc,
                char ***_argv);

/**
 * Registers 'numentries' handlers and attaches a segment of 'segsize' bytes. Collective, with the effect of a
 * barrier; once. 'minheapoffset' is only a hint and has no effect.
 *
 * Entries with index 0 get one, written back. 'segsize' is a multiple of GASNET_PAGESIZE, may be 0, and may differ
 * between ranks. Returns GASNET_OK; GASNET_ERR_NOT_INIT before init or at a second call; GASNET_ERR_BAD_ARG;
 * GASNET_ERR_RESOURCE if there are more handlers than indices.
 *
 * Source: GASNet 1.8, "gasnet_attach".
 *
 * The caller sees to it that:
 * 'table' has 'numentries' entries (or both are zero), whose functions match the messages sent to them.
 */
int gasnet_attach(struct gasnet_handlerentry_t *table,
                  int numentries,
                  size_t segsize,
                  size_t _minheapoffset);

/**
 * This process's rank. After gasnet_init.
 *
 * Source: GASNet 1.8, "gasnet_mynode".
 */
gasnet_node_t gasnet_mynode(void);

/**
 * Ranks in the job. After gasnet_init.
 *
 * Source: GASNet 1.8, "gasnet_nodes".
 */
gasnet_node_t gasnet_nodes(void);

/**
 * The largest segment this rank can attach, in bytes. Between init and attach.
 *
 * Source: GASNet 1.8, "gasnet_getMaxLocalSegmentSize".
 */
size_t gasnet_getMaxLocalSegmentSize(void);

/**
 * The largest segment that every rank can attach, in bytes. Between init and attach.
 *
 * Source: GASNet 1.8, "gasnet_getMaxGlobalSegmentSize".
 */
size_t gasnet_getMaxGlobalSegmentSize(void);

/**
 * Fills the first 'numentries' entries of 'table' with the segments of ranks 0 …; entries beyond the job stay
 * untouched. Returns GASNET_OK, GASNET_ERR_NOT_INIT before attach, or GASNET_ERR_BAD_ARG.
 *
 * Source: GASNet 1.8, "gasnet_getSegmentInfo".
 *
 * The caller sees to it that:
 * 'table' has 'numentries' entries.
 */
int gasnet_getSegmentInfo(struct gasnet_seginfo_t *table,
                          int numentries);

/**
 * Fills the first 'numentries' entries of 'table' with host, supernode and, after attach, the offset that turns an
 * address in the rank's segment into a local one. Legal after init. Returns GASNET_OK, GASNET_ERR_NOT_INIT or
 * GASNET_ERR_BAD_ARG.
 *
 * The caller sees to it that:
 * 'table' has 'numentries' entries.
 */
int gasnet_getNodeInfo(struct gasnet_nodeinfo_t *table,
                       int numentries);

/**
 * The name of a returned code.
 *
 * Source: GASNet 1.8, "gasnet_ErrorName, gasnet_ErrorDesc".
 */
const char *gasnet_ErrorName(int errval);

/**
 * The description of a returned code.
 *
 * Source: GASNet 1.8, "gasnet_ErrorName, gasnet_ErrorDesc".
 */
const char *gasnet_ErrorDesc(int errval);

/**
 * A hint on how this rank's threads wait: GASNET_WAIT_SPIN (0), GASNET_WAIT_BLOCK (1), GASNET_WAIT_SPINBLOCK (2).
 * Returns GASNET_OK or GASNET_ERR_BAD_ARG.
 *
 * Source: GASNet 1.8, "gasnet_set_waitmode".
 */
int gasnet_set_waitmode(int wait_mode);

/**
 * One step of GASNET_BLOCKUNTIL, whose condition was just found false.
 *
 * The caller sees to it that:
 * 'wait' was zero-initialised before its first use and belongs to this thread.
 */
void gasneti_wait_step(struct gasneti_wait_t *wait);

/**
 * Ends a wait that took at least one step.
 *
 * The caller sees to it that:
 * As gasneti_wait_step.
 */
void gasneti_wait_end(struct gasneti_wait_t *wait);

/**
 * This thread's thread-info pointer: stable in a thread, distinct between threads.
 *
 * Source: GASNet 1.8, "Thread-identification optimization".
 */
void *gasneti_threadinfo(void);

/**
 * Initialises a lock. Once, and not for one that GASNET_HSL_INITIALIZER initialised.
 *
 * Source: GASNet 1.8, "Handler-Safe Locks".
 *
 * The caller sees to it that:
 * 'hsl' may be written and no thread uses it yet.
 */
void gasnet_hsl_init(struct gasnet_hsl_t *hsl);

/**
 * Ends a lock's life. It must be unlocked.
 *
 * Source: GASNet 1.8, "Handler-Safe Locks".
 *
 * The caller sees to it that:
 * 'hsl' is initialised and no thread uses it any more.
 */
void gasnet_hsl_destroy(struct gasnet_hsl_t *hsl);

/**
 * Takes a lock; waits while another thread holds it. Legal in handlers. Not recursive.
 *
 * Source: GASNet 1.8, "gasnet_hsl_lock, gasnet_hsl_unlock".
 *
 * The caller sees to it that:
 * 'hsl' is initialised.
 */
void gasnet_hsl_lock(struct gasnet_hsl_t *hsl);

/**
 * Takes a lock if it is free: GASNET_OK, else GASNET_ERR_NOT_READY. Handlers must not spin on it.
 *
 * Source: GASNet 1.8, "gasnet_hsl_trylock".
 *
 * The caller sees to it that:
 * 'hsl' is initialised.
 */
int gasnet_hsl_trylock(struct gasnet_hsl_t *hsl);

/**
 * Releases a lock that this thread holds; locks are released in reverse order.
 *
 * Source: GASNet 1.8, "gasnet_hsl_lock, gasnet_hsl_unlock".
 *
 * The caller sees to it that:
 * 'hsl' is held by this thread.
 */
void gasnet_hsl_unlock(struct gasnet_hsl_t *hsl);

/**
 * Begins a no-interrupt section: no handler runs asynchronously on this thread until gasnet_resume_interrupts.
 * Ignored in handlers and while a handler-safe lock is held. Does not nest.
 *
 * Source: GASNet 1.8, "No-Interrupt Sections".
 */
void gasnet_hold_interrupts(void);

/**
 * Ends the no-interrupt section.
 *
 * Source: GASNet 1.8, "No-Interrupt Sections".
 */
void gasnet_resume_interrupts(void);

/**
 * Sends a Short request with 'nargs' arguments to handler 'handler' of 'dest'.
 *
 * Polls, and may run handlers; waits for room. Not from a handler. Returns GASNET_OK.
 *
 * Source: GASNet 1.8, "Active Message Request Functions".
 *
 * The caller sees to it that:
 * 'args' has 'nargs' elements.
 */
int gasneti_AMRequestShort(gasnet_node_t dest,
                           gasnet_handler_t handler,
                           const gasnet_handlerarg_t *args,
                           int nargs);

/**
 * Sends a Medium request: 'nbytes' bytes from 'source_addr' arrive in a buffer of the library's.
 *
 * On return the source may be reused. Polls, and may run handlers; waits for room. Not from a handler.
 * Returns GASNET_OK.
 *
 * Source: GASNet 1.8, "Active Message Request Functions".
 *
 * The caller sees to it that:
 * 'args' has 'nargs' elements; 'source_addr' has 'nbytes' readable bytes.
 */
int gasneti_AMRequestMedium(gasnet_node_t dest,
                            gasnet_handler_t handler,
                            const void *source_addr,
                            size_t nbytes,
                            const gasnet_handlerarg_t *args,
                            int nargs);

/**
 * Sends a Long request: 'nbytes' bytes are written at 'dest_addr' in the segment of 'dest' before its handler runs.
 *
 * On return the source may be reused. Polls, and may run handlers; waits for room. Not from a handler.
 * Returns GASNET_OK.
 *
 * Source: GASNet 1.8, "Active Message Request Functions".
 *
 * The caller sees to it that:
 * 'args' has 'nargs' elements; 'source_addr' has 'nbytes' readable bytes; 'dest_addr' lies in the target's segment.
 */
int gasneti_AMRequestLong(gasnet_node_t dest,
                          gasnet_handler_t handler,
                          const void *source_addr,
                          size_t nbytes,
                          void *dest_addr,
                          const gasnet_handlerarg_t *args,
                          int nargs);

/**
 * As gasneti_AMRequestLong, but the source must stay unchanged until the matching reply handler starts.
 *
 * Source: GASNet 1.8, "Active Message Request Functions".
 *
 * The caller sees to it that:
 * As gasneti_AMRequestLong.
 */
int gasneti_AMRequestLongAsync(gasnet_node_t dest,
                               gasnet_handler_t handler,
                               const void *source_addr,
                               size_t nbytes,
                               void *dest_addr,
                               const gasnet_handlerarg_t *args,
                               int nargs);

/**
 * Replies to the request of 'token' with a Short message. At most once, from its handler. Returns GASNET_OK.
 *
 * Source: GASNet 1.8, "Active Message Reply Functions".
 *
 * The caller sees to it that:
 * 'token' is the one passed to the running handler; 'args' has 'nargs' elements.
 */
int gasneti_AMReplyShort(gasnet_token_t token,
                         gasnet_handler_t handler,
                         const gasnet_handlerarg_t *args,
                         int nargs);

/**
 * Replies to the request of 'token' with a Medium message. At most once, from its handler. Returns GASNET_OK.
 *
 * Source: GASNet 1.8, "Active Message Reply Functions".
 *
 * The caller sees to it that:
 * As gasneti_AMReplyShort; 'source_addr' has 'nbytes' readable bytes.
 */
int gasneti_AMReplyMedium(gasnet_token_t token,
                          gasnet_handler_t handler,
                          const void *source_addr,
                          size_t nbytes,
                          const gasnet_handlerarg_t *args,
                          int nargs);

/**
 * Replies to the request of 'token' with a Long message. At most once, from its handler. Returns GASNET_OK.
 *
 * Source: GASNet 1.8, "Active Message Reply Functions".
 *
 * The caller sees to it that:
 * As gasneti_AMReplyMedium; 'dest_addr' lies in the requester's segment.
 */
int gasneti_AMReplyLong(gasnet_token_t token,
                        gasnet_handler_t handler,
                        const void *source_addr,
                        size_t nbytes,
                        void *dest_addr,
                        const gasnet_handlerarg_t *args,
                        int nargs);

/**
 * Stores the rank that sent the message of 'token' in '*srcindex'. Legal in any handler. Returns GASNET_OK, or
 * GASNET_ERR_BAD_ARG if 'srcindex' is NULL.
 *
 * Source: GASNet 1.8, "Misc. Active Message Functions".
 *
 * The caller sees to it that:
 * 'token' is the one passed to the running handler; 'srcindex' may be written.
 */
int gasnet_AMGetMsgSource(gasnet_token_t token,
                          gasnet_node_t *srcindex);

/**
 * Handles messages that have arrived. Returns GASNET_OK. Not from a handler.
 *
 * Source: GASNet 1.8, "Misc. Active Message Functions".
 */
int gasnet_AMPoll(void);

/**
 * Most arguments of an Active Message: 16.
 *
 * Source: GASNet 1.8, "Active Message Size Limits".
 */
size_t gasnet_AMMaxArgs(void);

/**
 * Largest payload of a Medium message, in bytes.
 *
 * Source: GASNet 1.8, "Active Message Size Limits".
 */
size_t gasnet_AMMaxMedium(void);

/**
 * Largest payload of a Long request, in bytes; the target's segment is the real limit.
 *
 * Source: GASNet 1.8, "Active Message Size Limits".
 */
size_t gasnet_AMMaxLongRequest(void);

/**
 * Largest payload of a Long reply, in bytes; the requester's segment is the real limit.
 *
 * Source: GASNet 1.8, "Active Message Size Limits".
 */
size_t gasnet_AMMaxLongReply(void);

/**
 * Starts the job of a client whose translation units left records from 'first' to 'last': what the macro
 * gasnet_init calls. Returns GASNET_OK, or GASNET_ERR_NOT_INIT at a second call.
 *
 * The caller sees to it that:
 * 'first..last' is the client's 'gasneti_client' section (both may be null). 'argc' and 'argv' are main's or null.
 */
int gasneti_init(int *_argc,
                 char ***_argv,
                 const struct gasneti_client_record_t *first,
                 const struct gasneti_client_record_t *last);

/**
 * Starts the job of a client that was not compiled against the headers: PAR, release.
 *
 * First call of the program; may run in a different number of processes before and after. Returns GASNET_OK, or
 * GASNET_ERR_NOT_INIT at a second call.
 *
 * Source: GASNet 1.8, "gasnet_init".
 *
 * The caller sees to it that:
 * 'argc' and 'argv' are main's or null.
 */
int gasnet_init(int *_argc,
                char ***_argv);

/**
 * Registers 'numentries' handlers and attaches a segment of 'segsize' bytes. Collective, with the effect of a
 * barrier; once. 'minheapoffset' is only a hint and has no effect.
 *
 * Entries with index 0 get one, written back. 'segsize' is a multiple of GASNET_PAGESIZE, may be 0, and may differ
 * between ranks. Returns GASNET_OK; GASNET_ERR_NOT_INIT before init or at a second call; GASNET_ERR_BAD_ARG;
 * GASNET_ERR_RESOURCE if there are more handlers than indices.
 *
 * Source: GASNet 1.8, "gasnet_attach".
 *
 * The caller sees to it that:
 * 'table' has 'numentries' entries (or both are zero), whose functions match the messages sent to them.
 */
int gasnet_attach(struct gasnet_handlerentry_t *table,
                  int numentries,
                  size_t segsize,
                  size_t _minheapoffset);

/**
 * This process's rank. After gasnet_init.
 *
 * Source: GASNet 1.8, "gasnet_mynode".
 */
gasnet_node_t gasnet_mynode(void);

/**
 * Ranks in the job. After gasnet_init.
 *
 * Source: GASNet 1.8, "gasnet_nodes".
 */
gasnet_node_t gasnet_nodes(void);

/**
 * The largest segment this rank can attach, in bytes. Between init and attach.
 *
 * Source: GASNet 1.8, "gasnet_getMaxLocalSegmentSize".
 */
size_t gasnet_getMaxLocalSegmentSize(void);

/**
 * The largest segment that every rank can attach, in bytes. Between init and attach.
 *
 * Source: GASNet 1.8, "gasnet_getMaxGlobalSegmentSize".
 */
size_t gasnet_getMaxGlobalSegmentSize(void);

/**
 * Fills the first 'numentries' entries of 'table' with the segments of ranks 0 …; entries beyond the job stay
 * untouched. Returns GASNET_OK, GASNET_ERR_NOT_INIT before attach, or GASNET_ERR_BAD_ARG.
 *
 * Source: GASNet 1.8, "gasnet_getSegmentInfo".
 *
 * The caller sees to it that:
 * 'table' has 'numentries' entries.
 */
int gasnet_getSegmentInfo(struct gasnet_seginfo_t *table,
                          int numentries);

/**
 * Fills the first 'numentries' entries of 'table' with host, supernode and, after attach, the offset that turns an
 * address in the rank's segment into a local one. Legal after init. Returns GASNET_OK, GASNET_ERR_NOT_INIT or
 * GASNET_ERR_BAD_ARG.
 *
 * The caller sees to it that:
 * 'table' has 'numentries' entries.
 */
int gasnet_getNodeInfo(struct gasnet_nodeinfo_t *table,
                       int numentries);

/**
 * The name of a returned code.
 *
 * Source: GASNet 1.8, "gasnet_ErrorName, gasnet_ErrorDesc".
 */
const char *gasnet_ErrorName(int errval);

/**
 * The description of a returned code.
 *
 * Source: GASNet 1.8, "gasnet_ErrorName, gasnet_ErrorDesc".
 */
const char *gasnet_ErrorDesc(int errval);

/**
 * A hint on how this rank's threads wait: GASNET_WAIT_SPIN (0), GASNET_WAIT_BLOCK (1), GASNET_WAIT_SPINBLOCK (2).
 * Returns GASNET_OK or GASNET_ERR_BAD_ARG.
 *
 * Source: GASNet 1.8, "gasnet_set_waitmode".
 */
int gasnet_set_waitmode(int wait_mode);

/**
 * One step of GASNET_BLOCKUNTIL, whose condition was just found false.
 *
 * The caller sees to it that:
 * 'wait' was zero-initialised before its first use and belongs to this thread.
 */
void gasneti_wait_step(struct gasneti_wait_t *wait);

/**
 * Ends a wait that took at least one step.
 *
 * The caller sees to it that:
 * As gasneti_wait_step.
 */
void gasneti_wait_end(struct gasneti_wait_t *wait);

/**
 * This thread's thread-info pointer: stable in a thread, distinct between threads.
 *
 * Source: GASNet 1.8, "Thread-identification optimization".
 */
void *gasneti_threadinfo(void);

/**
 * Initialises a lock. Once, and not for one that GASNET_HSL_INITIALIZER initialised.
 *
 * Source: GASNet 1.8, "Handler-Safe Locks".
 *
 * The caller sees to it that:
 * 'hsl' may be written and no thread uses it yet.
 */
void gasnet_hsl_init(struct gasnet_hsl_t *hsl);

/**
 * Ends a lock's life. It must be unlocked.
 *
 * Source: GASNet 1.8, "Handler-Safe Locks".
 *
 * The caller sees to it that:
 * 'hsl' is initialised and no thread uses it any more.
 */
void gasnet_hsl_destroy(struct gasnet_hsl_t *hsl);

/**
 * Takes a lock; waits while another thread holds it. Legal in handlers. Not recursive.
 *
 * Source: GASNet 1.8, "gasnet_hsl_lock, gasnet_hsl_unlock".
 *
 * The caller sees to it that:
 * 'hsl' is initialised.
 */
void gasnet_hsl_lock(struct gasnet_hsl_t *hsl);

/**
 * Takes a lock if it is free: GASNET_OK, else GASNET_ERR_NOT_READY. Handlers must not spin on it.
 *
 * Source: GASNet 1.8, "gasnet_hsl_trylock".
 *
 * The caller sees to it that:
 * 'hsl' is initialised.
 */
int gasnet_hsl_trylock(struct gasnet_hsl_t *hsl);

/**
 * Releases a lock that this thread holds; locks are released in reverse order.
 *
 * Source: GASNet 1.8, "gasnet_hsl_lock, gasnet_hsl_unlock".
 *
 * The caller sees to it that:
 * 'hsl' is held by this thread.
 */
void gasnet_hsl_unlock(struct gasnet_hsl_t *hsl);

/**
 * Begins a no-interrupt section: no handler runs asynchronously on this thread until gasnet_resume_interrupts.
 * Ignored in handlers and while a handler-safe lock is held. Does not nest.
 *
 * Source: GASNet 1.8, "No-Interrupt Sections".
 */
void gasnet_hold_interrupts(void);

/**
 * Ends the no-interrupt section.
 *
 * Source: GASNet 1.8, "No-Interrupt Sections".
 */
void gasnet_resume_interrupts(void);

/**
 * Returns the value of a variable of the job's environment, or NULL if it is not set.
 *
 * May be called before 'gasnet_init'. Escapes that a spawner added are undone. Not reported under
 * 'GASNET_VERBOSEENV'. The string must not be changed, and stays until the variable is set again.
 *
 * Source: GASNet tools 1.20, "Environment utilities".
 *
 * The caller sees to it that:
 * 'keyname' is a string.
 */
char *gasnett_getenv(const char *keyname);

/**
 * Returns the value of a variable, or 'defaultval' if it is not set; reported under 'GASNET_VERBOSEENV'.
 *
 * Source: GASNet tools 1.20, "Environment utilities".
 *
 * The caller sees to it that:
 * 'keyname' is a string, and so is 'defaultval' unless it is NULL.
 */
char *gasnett_getenv_withdefault(const char *keyname, const char *defaultval);

/**
 * Returns 1 if a variable says 'Y', 'YES' or '1', 0 if it says 'N', 'NO' or '0' (in any case), 'defaultval' if it is
 * not set. Reported under 'GASNET_VERBOSEENV'.
 *
 * Any other value is a fatal error.
 *
 * Source: GASNet tools 1.20, "Environment utilities".
 *
 * The caller sees to it that:
 * 'keyname' is a string.
 */
int gasnett_getenv_yesno_withdefault(const char *keyname,
                                     int defaultval);

/**
 * Returns the number that a variable holds, or 'defaultval' if it is not set; reported under 'GASNET_VERBOSEENV'.
 *
 * With 'mem_size_multiplier' 0 the value is an integer, decimal or '0x' hexadecimal. Otherwise it is a memory size,
 * perhaps a decimal fraction, with an optional unit 'B KB MB GB TB PB'; without one it counts units of
 * 'mem_size_multiplier' bytes.
 *
 * A value that is no such number is a fatal error.
 *
 * Source: GASNet tools 1.20, "Environment utilities".
 *
 * The caller sees to it that:
 * 'keyname' is a string.
 */
int64_t gasnett_getenv_int_withdefault(const char *keyname,
                                       int64_t defaultval,
                                       uint64_t mem_size_multiplier);

/**
 * Returns the floating-point number or fraction 'a/b' that a variable holds, or 'defaultval' if it is not set; reported
 * under 'GASNET_VERBOSEENV'.
 *
 * A value that is no such number is a fatal error.
 *
 * Source: GASNet tools 1.20, "Environment utilities".
 *
 * The caller sees to it that:
 * 'keyname' is a string.
 */
double gasnett_getenv_dbl_withdefault(const char *keyname,
                                      double defaultval);

/**
 * Sets a variable in the environment of this process only.
 *
 * Not to be called while another thread reads the environment.
 *
 * Source: GASNet tools 1.20, "Environment utilities".
 *
 * The caller sees to it that:
 * Both are strings; 'key' is not empty and has no '='.
 */
void gasnett_setenv(const char *key, const char *value);

/**
 * Removes a variable from the environment of this process only.
 *
 * Source: GASNet tools 1.20, "Environment utilities".
 *
 * The caller sees to it that:
 * 'key' is a string, not empty, without '='.
 */
void gasnett_unsetenv(const char *key);

/**
 * Reads a number from a string: an integer if 'mem_size_multiplier' is 0, otherwise a memory size (see
 * 'gasnett_getenv_int_withdefault').
 *
 * A string that is no such number reads as far as it is one, or as 0, with a warning.
 *
 * Source: GASNet tools 1.20, "Environment utilities".
 *
 * The caller sees to it that:
 * 'str' is a string.
 */
int64_t gasnett_parse_int(const char *str, uint64_t mem_size_multiplier);

/**
 * Writes 'val' to 'buf' as a person writes it: a memory size with the largest unit that is exact, or a plain number.
 * What does not fit into 'bufsz' bytes is cut. Returns 'buf'.
 *
 * Source: GASNet tools 1.20, "Environment utilities".
 *
 * The caller sees to it that:
 * 'buf' has 'bufsz' writable bytes.
 */
char *gasnett_format_number(int64_t val,
                            char *buf,
                            size_t bufsz,
                            int is_mem_size);

/**
 * Returns nonzero if this process reports environment settings ('GASNET_VERBOSEENV', rank 0). May change during init.
 *
 * Source: GASNet tools 1.20, "Environment utilities".
 */
int gasnett_verboseenv(void);

/**
 * Reports an integer setting if 'gasnett_verboseenv()'.
 *
 * Source: GASNet tools 1.20, "Environment utilities".
 *
 * The caller sees to it that:
 * 'key' is a string.
 */
void gasnett_envint_display(const char *key, int64_t val, int is_dflt, int is_mem_size);

/**
 * Reports a text setting if 'gasnett_verboseenv()'.
 *
 * Source: GASNet tools 1.20, "Environment utilities".
 *
 * The caller sees to it that:
 * 'key' is a string, and so is 'val' unless it is NULL.
 */
void gasnett_envstr_display(const char *key, const char *val, int is_dflt);

/**
 * Reports a floating-point setting if 'gasnett_verboseenv()'.
 *
 * Source: GASNet tools 1.20, "Environment utilities".
 *
 * The caller sees to it that:
 * 'key' is a string.
 */
void gasnett_envdbl_display(const char *key, double val, int is_dflt);

/**
 * Returns what makes this library slow, for a benchmark's log; the empty string if nothing does.
 *
 * Source: GASNet tools 1.20, "Performance warnings".
 */
const char *gasnett_performance_warning_str(void);

/**
 * Stops the process until a debugger sets '*flag' to 0; tells the user so, with the flag's name.
 *
 * Source: GASNet tools 1.20, "Backtracing and debugger attach".
 *
 * The caller sees to it that:
 * 'flag' points to an int; 'flagsymname' is a string.
 */
void gasnett_freezeForDebuggerNow(int *flag, const char *flagsymname);

/**
 * Stops the process for a debugger if the user set 'GASNET_FREEZE_ON_ERROR'.
 *
 * Source: GASNet tools 1.20, "Backtracing and debugger attach".
 */
void gasnett_freezeForDebuggerErr(void);

/**
 * Prepares for backtraces. To be called early, with argv[0]; again after changes of the variables about backtraces.
 *
 * Source: GASNet tools 1.20, "Backtracing and debugger attach".
 *
 * The caller sees to it that:
 * 'exename' is a string, or NULL.
 */
void gasnett_backtrace_init(const char *exename);

/**
 * Writes a backtrace to descriptor 'fd' now, by the first mechanism of 'GASNET_BACKTRACE_TYPE' that can.
 *
 * Returns 0 if one could.
 *
 * Source: GASNet tools 1.20, "Backtracing and debugger attach".
 */
int gasnett_print_backtrace(int fd);

/**
 * The first value of 'gasnett_print_backtrace_ifenabled'.
 */
int gasneti_default_print_backtrace_ifenabled(int fd);

/**
 * Returns the path of this program.
 *
 * Source: GASNet tools 1.20, "Backtracing and debugger attach".
 */
const char *gasnett_exe_name(void);

/**
 * Remembers the place in the client from which this thread's next call comes, for error messages. Debug clients'
 * headers call it.
 *
 * The caller sees to it that:
 * 'file' is a string that stays for the life of the process, or NULL.
 */
void gasneti_at(const char *file,
                uint32_t line);

/**
 * What the functions of abi/c/printf.c call once they have formatted.
 *
 * The caller sees to it that:
 * 'message' is a string.
 */
void gasneti_fatal_text(const char *message, int with_place) GASNETI_NORETURN;

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* GASNETI_ABI_H */
