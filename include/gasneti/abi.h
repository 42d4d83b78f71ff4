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
#include <gasneti/ex_types.h>
struct gasnet_handlerentry_t;

/**
 * The required value of 'abi' in client records.
 */
#define GASNETI_ABI_NUMBER 2

/**
 * 'state' of an initialised lock; what GASNET_HSL_INITIALIZER stores.
 */
#define GASNETI_HSL_READY 1213418545

/**
 * 'state' of a destroyed lock.
 */
#define GASNETI_HSL_DESTROYED 1213418544

/**
 * The class of a memory kind.
 */
typedef enum gex_MK_Class_t {
  /**
   * Memory of the host: GEX_MK_HOST.
   */
  GEX_MK_CLASS_HOST,
  /**
   * A device with the CUDA driver's interface and unified addresses.
   */
  GEX_MK_CLASS_CUDA_UVA,
  /**
   * A device with the HIP interface.
   */
  GEX_MK_CLASS_HIP,
  /**
   * A device with the oneAPI Level Zero interface.
   */
  GEX_MK_CLASS_ZE,
  /**
   * The number of classes.
   */
  _GEX_MK_CLASS_COUNT,
} gex_MK_Class_t;

/**
 * A client; its content is private to the library.
 */
typedef struct gasneti_client gasneti_client;

/**
 * An endpoint; its content is private to the library.
 */
typedef struct gasneti_ep gasneti_ep;

/**
 * A memory kind; its content is private to the library.
 */
typedef struct gasneti_mk gasneti_mk;

/**
 * An operation in flight; its content is private to the library.
 */
typedef struct gasneti_op gasneti_op;

/**
 * A segment; its content is private to the library.
 */
typedef struct gasneti_segment gasneti_segment;

/**
 * A message being prepared; its content is private to the library.
 */
typedef struct gasneti_srcdesc gasneti_srcdesc;

/**
 * A message being handled; its content is private to the library.
 */
typedef struct gasneti_token gasneti_token;

/**
 * The target of a value get's handle; its content is private to the library.
 */
typedef struct gasneti_valget gasneti_valget;

/**
 * A process of the job.
 */
typedef gex_Rank_t gasnet_node_t;

/**
 * Index into the AM handler table.
 */
typedef uint8_t gex_AM_Index_t;

/**
 * Index into the AM handler table.
 */
typedef gex_AM_Index_t gasnet_handler_t;

/**
 * An AM argument: 32 bits, sign-extended.
 */
typedef int32_t gex_AM_Arg_t;

/**
 * An AM argument: 32 bits, sign-extended.
 */
typedef gex_AM_Arg_t gasnet_handlerarg_t;

/**
 * Names the message being handled; valid only inside its handler, on its thread.
 */
typedef struct gasneti_token *gex_Token_t;

/**
 * Names the message being handled; valid only inside its handler, on its thread.
 */
typedef gex_Token_t gasnet_token_t;

/**
 * State of a team read by the inline fast paths.
 */
typedef struct gasneti_tm_t {
  /**
   * By rank of the team: 0 if the member's segment is not mapped here, else 1 + the difference between the local
   * and the owner's address.
   */
  const ptrdiff_t *bias;
  /**
   * This member's rank.
   */
  uint32_t rank;
  /**
   * The number of members.
   */
  uint32_t size;
} gasneti_tm_t;

/**
 * A team: the handle of one of its members.
 */
typedef struct gasneti_tm_t *gex_TM_t;

/**
 * A message being prepared, from Prepare to Commit or Cancel.
 */
typedef struct gasneti_srcdesc *gex_AM_SrcDesc_t;

/**
 * A mask of fields of gex_Token_Info_t.
 */
typedef unsigned int gex_TI_t;

/**
 * An endpoint: source and destination of communication.
 */
typedef struct gasneti_ep *gex_EP_t;

/**
 * The information on a message that gex_Token_Info returns.
 */
typedef struct gex_Token_Info_t {
  /**
   * Its sender, as a rank of the job.
   */
  gex_Rank_t gex_srcrank;
  /**
   * The endpoint that received it.
   */
  gex_EP_t gex_ep;
  /**
   * The handler that runs, as it was registered.
   */
  const gex_AM_Entry_t *gex_entry;
  /**
   * 1 for a request, 0 for a reply.
   */
  int gex_is_req;
  /**
   * 1 for a Long, 0 for another.
   */
  int gex_is_long;
} gex_Token_Info_t;

/**
 * A segment: 'addr' in its owner's address space, 'size' in bytes.
 */
typedef struct gasnet_seginfo_t {
  void *addr;
  size_t size;
} gasnet_seginfo_t;

/**
 * The host and supernode of a rank; the local mapping of an address in its segment is at the address plus
 * 'offset'.
 */
typedef struct gasnet_nodeinfo_t {
  gasnet_node_t host;
  gasnet_node_t supernode;
  size_t offset;
  /**
   * The same for memory of the library; 0 if there is none.
   */
  size_t auxoffset;
} gasnet_nodeinfo_t;

/**
 * State of a wait: initialised with zeros, and with the place of the call in the client (a string with static
 * lifetime).
 */
typedef struct gasneti_wait_t {
  uint64_t opaque[6];
  const char *file;
  int line;
} gasneti_wait_t;

/**
 * A reduction function of the client: 'arg2_and_out[i] = arg1[i] op arg2_and_out[i]' for 'count' elements. It may
 * be called any number of times, with any count, by any thread, also concurrently. It may call only GASNet
 * functions that are allowed while a handler-safe lock is held.
 */
typedef void (*gex_Coll_ReduceFn_t)(const void *arg1, void *arg2_and_out, size_t count, const void *cdata);

/**
 * A team of ranks: created by gex_TM_Split or a similar call, or GASNET_TEAM_ALL, the primordial team.
 */
typedef gex_TM_t gasnet_team_handle_t;

/**
 * An image: a thread that takes part in collectives. Images are numbered consecutively over the ranks of a team.
 * Each rank is one image unless 'gasnet_coll_init' was called with other numbers.
 */
typedef uint32_t gasnet_image_t;

/**
 * An index into the table of reduction functions that was passed to 'gasnet_coll_init'.
 */
typedef int32_t gasnet_coll_fn_handle_t;

/**
 * A collective that was started; 0 is GASNET_COLL_INVALID_HANDLE, which counts as complete.
 */
typedef gex_Event_t gasnet_coll_handle_t;

/**
 * A reduction function: 'results[i] = left_operands[i] op right_operands[i]', with equal numbers of operands on
 * both sides. Results never overlap operands. It may be called any number of times, by any thread of the rank that
 * polls.
 */
typedef void (*gasnet_coll_reduce_fn_t)(void *results,
                                        size_t result_count,
                                        const void *left_operands,
                                        size_t left_count,
                                        const void *right_operands,
                                        size_t elem_size,
                                        int flags,
                                        int arg);

/**
 * An entry of the table of reduction functions.
 */
typedef struct gasnet_coll_fn_entry_t {
  gasnet_coll_reduce_fn_t fnptr;
  unsigned int flags;
} gasnet_coll_fn_entry_t;

/**
 * The arguments of a collective, for 'gasnet_coll_tune_generic_op'.
 */
typedef struct gasnet_coll_args_t {
  uint8_t **dst;
  uint8_t **src;
  gasnet_image_t rootimg;
  size_t src_blksz;
  size_t src_offset;
  size_t elem_size;
  size_t nbytes;
  size_t dist;
  gasnet_coll_fn_handle_t func;
  int func_arg;
} gasnet_coll_args_t;

/**
 * A client of the library in this process.
 */
typedef struct gasneti_client *gex_Client_t;

/**
 * A segment: memory that is accessible to other processes.
 */
typedef struct gasneti_segment *gex_Segment_t;

/**
 * An operation that was started; 0 is GASNET_INVALID_HANDLE, which counts as complete.
 */
typedef gex_Event_t gasnet_handle_t;

/**
 * The widest unsigned integer that value puts and gets carry.
 */
typedef uint64_t gex_RMA_Value_t;

/**
 * The widest unsigned integer that fits one register.
 */
typedef gex_RMA_Value_t gasnet_register_value_t;

/**
 * A value get that was started; there is no invalid handle of this type.
 */
typedef struct gasneti_valget *gasnet_valget_handle_t;

/**
 * Kinds of events.
 */
typedef unsigned int gex_EC_t;

/**
 * A handler-safe lock. The fields are private to the library.
 */
typedef struct gasnet_hsl_t {
  uint32_t word;
  uint32_t state;
} gasnet_hsl_t;

/**
 * The same lock by its GASNet-EX name.
 */
typedef struct gasnet_hsl_t gex_HSL_t;

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
   * 1 if compiled with -DGASNET_DEBUGMALLOC.
   */
  uint8_t heap;
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
 * A kind of memory.
 */
typedef struct gasneti_mk *gex_MK_t;

/**
 * Identifies a CUDA device.
 */
typedef struct gasneti_mk_cuda_uva_t {
  int gex_CUdevice;
} gasneti_mk_cuda_uva_t;

/**
 * Identifies a HIP device.
 */
typedef struct gasneti_mk_hip_t {
  int gex_hipDevice;
} gasneti_mk_hip_t;

/**
 * Identifies a Level Zero device, a context on it and one of its memories.
 */
typedef struct gasneti_mk_ze_t {
  void *gex_zeDevice;
  void *gex_zeContext;
  uint32_t gex_zeMemoryOrdinal;
} gasneti_mk_ze_t;

/**
 * The device; the member that applies is selected by the class.
 */
typedef union gasneti_mk_args_t {
  struct gasneti_mk_cuda_uva_t gex_class_cuda_uva;
  struct gasneti_mk_hip_t gex_class_hip;
  struct gasneti_mk_ze_t gex_class_ze;
} gasneti_mk_args_t;

/**
 * The arguments of gex_MK_Create; members that are not used are zero.
 */
typedef struct gex_MK_Create_args_t {
  /**
   * Reserved, 0.
   */
  uint64_t gex_flags;
  enum gex_MK_Class_t gex_class;
  union gasneti_mk_args_t gex_args;
} gex_MK_Create_args_t;

/**
 * State of an atomic domain read by the inline fast paths.
 */
typedef struct gasneti_ad_t {
  /**
   * By rank of the team: 0 if the member's segment is not mapped here, else 1 + the difference between the local
   * and the owner's address.
   */
  const ptrdiff_t *by_rank;
  /**
   * The same by rank of the job.
   */
  const ptrdiff_t *by_jobrank;
  /**
   * Entries of 'by_rank'.
   */
  uint32_t size;
  /**
   * Entries of 'by_jobrank'; 0 if the inline functions must call the library for ranks of the job.
   */
  uint32_t job_size;
  /**
   * By type, in the order of the bits of gex_DT_t: the operations allowed.
   */
  uint32_t ops[6];
} gasneti_ad_t;

/**
 * An atomic domain: the handle of one member of its team; its content is private to the library.
 */
typedef struct gasneti_ad_t *gex_AD_t;

/**
 * A progress thread that the client runs.
 */
typedef struct gex_ProgressThreadInfo_t {
  const char *gex_device_list;
  unsigned int gex_thread_roles;
  void *(*gex_progress_fn)(void*);
  void *gex_progress_arg;
} gex_ProgressThreadInfo_t;

/**
 * A process of the job.
 */
typedef struct gex_RankInfo_t {
  gex_Rank_t gex_jobrank;
} gex_RankInfo_t;

/**
 * The location of a team's member: an endpoint of a process.
 */
typedef struct gex_EP_Location_t {
  gex_Rank_t gex_rank;
  gex_EP_Index_t gex_ep_index;
} gex_EP_Location_t;

/**
 * 'gex_len' bytes at 'gex_addr'.
 */
typedef struct gex_Memvec_t {
  void *gex_addr;
  size_t gex_len;
} gex_Memvec_t;

/**
 * 'len' bytes at 'addr'.
 */
typedef struct gasnet_memvec_t {
  void *addr;
  size_t len;
} gasnet_memvec_t;

/**
 * State read by the inline fast paths; 64 bytes, defined in C so that program and library share one copy.
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
   * 1 when only one thread calls the library at a time.
   */
  uint8_t serial;
  /**
   * 1 when usage checks are on.
   */
  uint8_t debug;
  /**
   * 1 while all ranks' segments are mapped here and no thread has ever had an incomplete implicit operation.
   */
  uint8_t all_direct;
  /**
   * Reserved, zero.
   */
  uint8_t reserved[53];
} gasneti_hot_t;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Sends a Short request with 'nargs' arguments to handler 'handler' of 'dest'.
 *
 * Polls, and may run handlers; blocks until resources are available. Must not be called from a handler. Returns
 * GASNET_OK.
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
 * Sends a Medium request: 'nbytes' bytes from 'source_addr' are delivered in a buffer of the library.
 *
 * On return the source may be reused. Polls, and may run handlers; blocks until resources are available. Must not
 * be called from a handler. Returns GASNET_OK.
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
 * On return the source may be reused. Polls, and may run handlers; blocks until resources are available. Must not
 * be called from a handler. Returns GASNET_OK.
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
 * Replies to the request of 'token' with a Short message. May be called once per request, from its handler.
 * Returns GASNET_OK.
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
 * Replies to the request of 'token' with a Medium message. May be called once per request, from its handler.
 * Returns GASNET_OK.
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
 * Replies to the request of 'token' with a Long message. May be called once per request, from its handler. Returns
 * GASNET_OK.
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
 * Runs the handlers of messages that have arrived. Returns GASNET_OK. Must not be called from a handler.
 *
 * Does not wait for messages. Where ranks outnumber cores, a thread whose calls find nothing again and again gives its
 * core away, or, where other programs want the cores, sleeps until a message arrives, for at most 250 microseconds.
 *
 * Source: GASNet 1.8, "Misc. Active Message Functions".
 */
int gasnet_AMPoll(void);

/**
 * Equivalent to gasnet_AMPoll. The configure script of a task runtime checks for a function of this name in the
 * library.
 */
int gasnetc_AMPoll(void);

/**
 * The maximum number of arguments of an Active Message: 16.
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
 * Largest payload of a Long request, in bytes; in effect it is limited by the target's segment.
 *
 * Source: GASNet 1.8, "Active Message Size Limits".
 */
size_t gasnet_AMMaxLongRequest(void);

/**
 * Largest payload of a Long reply, in bytes; in effect it is limited by the requester's segment.
 *
 * Source: GASNet 1.8, "Active Message Size Limits".
 */
size_t gasnet_AMMaxLongReply(void);

/**
 * Sends a Short request with 'nargs' arguments to handler 'handler' of 'rank' of 'tm'.
 *
 * Polls, and may run handlers; blocks until resources are available, unless GEX_FLAG_IMMEDIATE is given. Must not
 * be called from a handler. Returns 0; nonzero only with GEX_FLAG_IMMEDIATE, if the message was not sent because
 * resources were exhausted.
 *
 * Source: GASNet-EX 0.19, "Fixed-payload AM APIs".
 *
 * The caller sees to it that:
 * 'args' has 'nargs' elements.
 */
int gasneti_ex_RequestShort(gex_TM_t tm,
                            gex_Rank_t rank,
                            gex_AM_Index_t handler,
                            gex_Flags_t flags,
                            const gex_AM_Arg_t *args,
                            int nargs);

/**
 * Sends a Medium request: 'nbytes' bytes from 'source_addr' are delivered in a buffer of the library.
 *
 * On return the source may be reused. 'lc_opt' is GEX_EVENT_NOW, GEX_EVENT_GROUP, or the address of an event,
 * which becomes GEX_EVENT_INVALID. Polls, and may run handlers; blocks until resources are available, unless
 * GEX_FLAG_IMMEDIATE is given. Must not be called from a handler. Returns 0; nonzero only with GEX_FLAG_IMMEDIATE,
 * if the message was not sent because resources were exhausted.
 *
 * Source: GASNet-EX 0.19, "Fixed-payload AM APIs".
 *
 * The caller sees to it that:
 * 'args' has 'nargs' elements; 'source_addr' has 'nbytes' readable bytes; 'lc_opt' is writable if it is an
 * address.
 */
int gasneti_ex_RequestMedium(gex_TM_t tm,
                             gex_Rank_t rank,
                             gex_AM_Index_t handler,
                             const void *source_addr,
                             size_t nbytes,
                             gex_Event_t *lc_opt,
                             gex_Flags_t flags,
                             const gex_AM_Arg_t *args,
                             int nargs);

/**
 * Sends a Long request: 'nbytes' bytes are written at 'dest_addr' in the segment of the receiving endpoint before
 * its handler runs. If 'nbytes' is 0, no segment is required.
 *
 * As gasneti_ex_RequestMedium otherwise.
 *
 * Source: GASNet-EX 0.19, "Fixed-payload AM APIs".
 *
 * The caller sees to it that:
 * As gasneti_ex_RequestMedium; 'dest_addr' lies in the target's segment.
 */
int gasneti_ex_RequestLong(gex_TM_t tm,
                           gex_Rank_t rank,
                           gex_AM_Index_t handler,
                           const void *source_addr,
                           size_t nbytes,
                           void *dest_addr,
                           gex_Event_t *lc_opt,
                           gex_Flags_t flags,
                           const gex_AM_Arg_t *args,
                           int nargs);

/**
 * Replies to the request of 'token' with a Short message. May be called once per request, from its handler. Blocks
 * until resources are available, unless GEX_FLAG_IMMEDIATE is given, and may run reply handlers. Returns 0;
 * nonzero only with GEX_FLAG_IMMEDIATE, if the message was not sent because resources were exhausted.
 *
 * Source: GASNet-EX 0.19, "Fixed-payload AM APIs".
 *
 * The caller sees to it that:
 * 'token' is the one passed to the running handler; 'args' has 'nargs' elements.
 */
int gasneti_ex_ReplyShort(gex_Token_t token,
                          gex_AM_Index_t handler,
                          gex_Flags_t flags,
                          const gex_AM_Arg_t *args,
                          int nargs);

/**
 * Replies to the request of 'token' with a Medium message; as gasneti_ex_ReplyShort. On return the source may be
 * reused. 'lc_opt' is GEX_EVENT_NOW or the address of an event, which becomes GEX_EVENT_INVALID.
 *
 * Source: GASNet-EX 0.19, "Fixed-payload AM APIs".
 *
 * The caller sees to it that:
 * As gasneti_ex_ReplyShort; 'source_addr' has 'nbytes' readable bytes; 'lc_opt' is writable if it is an address.
 */
int gasneti_ex_ReplyMedium(gex_Token_t token,
                           gex_AM_Index_t handler,
                           const void *source_addr,
                           size_t nbytes,
                           gex_Event_t *lc_opt,
                           gex_Flags_t flags,
                           const gex_AM_Arg_t *args,
                           int nargs);

/**
 * Replies to the request of 'token' with a Long message; as gasneti_ex_ReplyMedium.
 *
 * Source: GASNet-EX 0.19, "Fixed-payload AM APIs".
 *
 * The caller sees to it that:
 * As gasneti_ex_ReplyMedium; 'dest_addr' lies in the requester's segment.
 */
int gasneti_ex_ReplyLong(gex_Token_t token,
                         gex_AM_Index_t handler,
                         const void *source_addr,
                         size_t nbytes,
                         void *dest_addr,
                         gex_Event_t *lc_opt,
                         gex_Flags_t flags,
                         const gex_AM_Arg_t *args,
                         int nargs);

/**
 * Begins a Medium request to 'rank' of 'tm': gex_AM_SrcDescAddr returns the address at which the payload is to be
 * assembled, gex_AM_SrcDescSize its maximum length, which is between 'least_payload' and 'most_payload' bytes. The
 * payload is assembled in 'client_buf', or, if that is NULL, in a buffer of the library.
 *
 * Polls, and may run handlers; blocks until a buffer is available, unless GEX_FLAG_IMMEDIATE is given. Must not be
 * called from a handler. Until gex_AM_CommitRequestMedium or gex_AM_CancelRequestMedium by the same thread, no
 * other communication call is allowed.
 *
 * Returns the descriptor, or, with GEX_FLAG_IMMEDIATE if no buffer is available, GEX_AM_SRCDESC_NO_OP. Ends the
 * job if 'least_payload' is over gex_AM_MaxRequestMedium with GEX_FLAG_AM_PREPARE_LEAST_CLIENT or _ALLOC.
 *
 * Source: GASNet-EX 0.19, "gex_AM_Prepare calls".
 *
 * The caller sees to it that:
 * - 'client_buf', if not NULL, has 'most_payload' bytes until Commit; 'lc_opt' is writable at that time if it is
 *   an address.
 */
gex_AM_SrcDesc_t gex_AM_PrepareRequestMedium(gex_TM_t tm,
                                             gex_Rank_t rank,
                                             const void *client_buf,
                                             size_t least_payload,
                                             size_t most_payload,
                                             gex_Event_t *lc_opt,
                                             gex_Flags_t flags,
                                             unsigned int numargs);

/**
 * Begins a Long request to 'rank' of 'tm': gex_AM_SrcDescAddr returns the address at which the payload is to be
 * assembled, gex_AM_SrcDescSize its maximum length, which is between 'least_payload' and 'most_payload' bytes. The
 * payload is assembled in 'client_buf', or, if that is NULL, in a buffer of the library.
 *
 * 'dest_addr' may be NULL; otherwise the same address must be passed to Commit.
 *
 * Polls, and may run handlers; blocks until a buffer is available, unless GEX_FLAG_IMMEDIATE is given. Must not be
 * called from a handler. Until gex_AM_CommitRequestLong or gex_AM_CancelRequestLong by the same thread, no other
 * communication call is allowed.
 *
 * Returns the descriptor, or, with GEX_FLAG_IMMEDIATE if no buffer is available, GEX_AM_SRCDESC_NO_OP. Ends the
 * job if 'least_payload' is over gex_AM_MaxRequestLong with GEX_FLAG_AM_PREPARE_LEAST_CLIENT or _ALLOC.
 *
 * Source: GASNet-EX 0.19, "gex_AM_Prepare calls".
 *
 * The caller sees to it that:
 * - 'client_buf', if not NULL, has 'most_payload' bytes until Commit; 'lc_opt' is writable at that time if it is
 *   an address.
 */
gex_AM_SrcDesc_t gex_AM_PrepareRequestLong(gex_TM_t tm,
                                           gex_Rank_t rank,
                                           const void *client_buf,
                                           size_t least_payload,
                                           size_t most_payload,
                                           void *dest_addr,
                                           gex_Event_t *lc_opt,
                                           gex_Flags_t flags,
                                           unsigned int numargs);

/**
 * Begins a Medium reply to the sender of the request of 'token': gex_AM_SrcDescAddr returns the address at which
 * the payload is to be assembled, gex_AM_SrcDescSize its maximum length, which is between 'least_payload' and
 * 'most_payload' bytes. The payload is assembled in 'client_buf', or, if that is NULL, in a buffer of the library.
 *
 * May be called from the request's handler only. Blocks until a buffer is available, unless GEX_FLAG_IMMEDIATE is
 * given, and may run reply handlers. Until gex_AM_CommitReplyMedium or gex_AM_CancelReplyMedium by the same
 * thread, no other communication call is allowed.
 *
 * Returns the descriptor, or, with GEX_FLAG_IMMEDIATE if no buffer is available, GEX_AM_SRCDESC_NO_OP. Ends the
 * job if 'least_payload' is over gex_AM_MaxReplyMedium with GEX_FLAG_AM_PREPARE_LEAST_CLIENT or _ALLOC.
 *
 * Source: GASNet-EX 0.19, "gex_AM_Prepare calls".
 *
 * The caller sees to it that:
 * - 'client_buf', if not NULL, has 'most_payload' bytes until Commit; 'lc_opt' is writable at that time if it is
 *   an address.
 * - 'token' is the one passed to the running handler.
 */
gex_AM_SrcDesc_t gex_AM_PrepareReplyMedium(gex_Token_t token,
                                           const void *client_buf,
                                           size_t least_payload,
                                           size_t most_payload,
                                           gex_Event_t *lc_opt,
                                           gex_Flags_t flags,
                                           unsigned int numargs);

/**
 * Begins a Long reply to the sender of the request of 'token': gex_AM_SrcDescAddr returns the address at which the
 * payload is to be assembled, gex_AM_SrcDescSize its maximum length, which is between 'least_payload' and
 * 'most_payload' bytes. The payload is assembled in 'client_buf', or, if that is NULL, in a buffer of the library.
 *
 * 'dest_addr' may be NULL; otherwise the same address must be passed to Commit.
 *
 * May be called from the request's handler only. Blocks until a buffer is available, unless GEX_FLAG_IMMEDIATE is
 * given, and may run reply handlers. Until gex_AM_CommitReplyLong or gex_AM_CancelReplyLong by the same thread, no
 * other communication call is allowed.
 *
 * Returns the descriptor, or, with GEX_FLAG_IMMEDIATE if no buffer is available, GEX_AM_SRCDESC_NO_OP. Ends the
 * job if 'least_payload' is over gex_AM_MaxReplyLong with GEX_FLAG_AM_PREPARE_LEAST_CLIENT or _ALLOC.
 *
 * Source: GASNet-EX 0.19, "gex_AM_Prepare calls".
 *
 * The caller sees to it that:
 * - 'client_buf', if not NULL, has 'most_payload' bytes until Commit; 'lc_opt' is writable at that time if it is
 *   an address.
 * - 'token' is the one passed to the running handler.
 */
gex_AM_SrcDesc_t gex_AM_PrepareReplyLong(gex_Token_t token,
                                         const void *client_buf,
                                         size_t least_payload,
                                         size_t most_payload,
                                         void *dest_addr,
                                         gex_Event_t *lc_opt,
                                         gex_Flags_t flags,
                                         unsigned int numargs);

/**
 * Sends the first 'nbytes' bytes of the message that gex_AM_PrepareRequestMedium prepared, with 'nargs' arguments,
 * the number that was passed to Prepare. Blocks until resources are available, unless GEX_FLAG_IMMEDIATE is given.
 * Returns 0; nonzero only with GEX_FLAG_IMMEDIATE, if the message was not sent because resources were exhausted;
 * 'sd' remains valid in this case.
 *
 * Source: GASNet-EX 0.19, "gex_AM_Commit family calls".
 *
 * The caller sees to it that:
 * 'args' has 'nargs' elements.
 */
int gasneti_ex_CommitRequestMedium(gex_AM_SrcDesc_t sd,
                                   gex_AM_Index_t handler,
                                   size_t nbytes,
                                   gex_Flags_t flags,
                                   const gex_AM_Arg_t *args,
                                   int nargs);

/**
 * Sends the first 'nbytes' bytes of the message that gex_AM_PrepareRequestLong prepared to 'dest_addr', with
 * 'nargs' arguments, the number that was passed to Prepare. Blocks until resources are available, unless
 * GEX_FLAG_IMMEDIATE is given. Returns 0; nonzero only with GEX_FLAG_IMMEDIATE, if the message was not sent
 * because resources were exhausted; 'sd' remains valid in this case.
 *
 * Source: GASNet-EX 0.19, "gex_AM_Commit family calls".
 *
 * The caller sees to it that:
 * 'args' has 'nargs' elements.
 */
int gasneti_ex_CommitRequestLong(gex_AM_SrcDesc_t sd,
                                 gex_AM_Index_t handler,
                                 size_t nbytes,
                                 void *dest_addr,
                                 gex_Flags_t flags,
                                 const gex_AM_Arg_t *args,
                                 int nargs);

/**
 * Sends the first 'nbytes' bytes of the message that gex_AM_PrepareReplyMedium prepared, with 'nargs' arguments,
 * the number that was passed to Prepare. Blocks until resources are available, unless GEX_FLAG_IMMEDIATE is given.
 * Returns 0; nonzero only with GEX_FLAG_IMMEDIATE, if the message was not sent because resources were exhausted;
 * 'sd' remains valid in this case.
 *
 * Source: GASNet-EX 0.19, "gex_AM_Commit family calls".
 *
 * The caller sees to it that:
 * 'args' has 'nargs' elements.
 */
int gasneti_ex_CommitReplyMedium(gex_AM_SrcDesc_t sd,
                                 gex_AM_Index_t handler,
                                 size_t nbytes,
                                 gex_Flags_t flags,
                                 const gex_AM_Arg_t *args,
                                 int nargs);

/**
 * Sends the first 'nbytes' bytes of the message that gex_AM_PrepareReplyLong prepared to 'dest_addr', with 'nargs'
 * arguments, the number that was passed to Prepare. Blocks until resources are available, unless
 * GEX_FLAG_IMMEDIATE is given. Returns 0; nonzero only with GEX_FLAG_IMMEDIATE, if the message was not sent
 * because resources were exhausted; 'sd' remains valid in this case.
 *
 * Source: GASNet-EX 0.19, "gex_AM_Commit family calls".
 *
 * The caller sees to it that:
 * 'args' has 'nargs' elements.
 */
int gasneti_ex_CommitReplyLong(gex_AM_SrcDesc_t sd,
                               gex_AM_Index_t handler,
                               size_t nbytes,
                               void *dest_addr,
                               gex_Flags_t flags,
                               const gex_AM_Arg_t *args,
                               int nargs);

/**
 * Releases the descriptor that gex_AM_PrepareRequestMedium returned; no message is sent. 'flags' must be 0.
 * Returns 0.
 *
 * Source: GASNet-EX 0.19, "gex_AM_Cancel calls".
 */
int gex_AM_CancelRequestMedium(gex_AM_SrcDesc_t sd, gex_Flags_t flags);

/**
 * Releases the descriptor that gex_AM_PrepareRequestLong returned; no message is sent. 'flags' must be 0. Returns
 * 0.
 *
 * Source: GASNet-EX 0.19, "gex_AM_Cancel calls".
 */
int gex_AM_CancelRequestLong(gex_AM_SrcDesc_t sd,
                             gex_Flags_t flags);

/**
 * Releases the descriptor that gex_AM_PrepareReplyMedium returned; no message is sent, and another reply to the
 * request is allowed. 'flags' must be 0. Returns 0.
 *
 * Source: GASNet-EX 0.19, "gex_AM_Cancel calls".
 */
int gex_AM_CancelReplyMedium(gex_AM_SrcDesc_t sd,
                             gex_Flags_t flags);

/**
 * Releases the descriptor that gex_AM_PrepareReplyLong returned; no message is sent, and another reply to the
 * request is allowed. 'flags' must be 0. Returns 0.
 *
 * Source: GASNet-EX 0.19, "gex_AM_Cancel calls".
 */
int gex_AM_CancelReplyLong(gex_AM_SrcDesc_t sd, gex_Flags_t flags);

/**
 * The address of the payload of a prepared message: the client's buffer if one was given, otherwise a buffer of
 * the library that is aligned for any type.
 *
 * Source: GASNet-EX 0.19, "gex_AM_SrcDescAddr".
 */
void *gex_AM_SrcDescAddr(gex_AM_SrcDesc_t sd);

/**
 * The maximum payload of a prepared message, in bytes.
 *
 * Source: GASNet-EX 0.19, "gex_AM_SrcDescSize".
 */
size_t gex_AM_SrcDescSize(gex_AM_SrcDesc_t sd);

/**
 * The maximum number of arguments of an Active Message: 16.
 *
 * Source: GASNet-EX 0.19, "Active Message (AM) limit queries".
 */
unsigned int gex_AM_MaxArgs(void);

/**
 * Largest payload, in bytes, of a Medium request between this endpoint of 'tm' and 'other_rank', or, if that is
 * GEX_RANK_INVALID, any rank. With GEX_FLAG_AM_PREPARE_LEAST_CLIENT or _ALLOC: the largest 'least_payload' of Prepare.
 * The result is the same on both sides, and does not change. Legal in handlers.
 *
 * Source: GASNet-EX 0.19, "Maximum payload size queries".
 */
size_t gex_AM_MaxRequestMedium(gex_TM_t tm,
                               gex_Rank_t other_rank,
                               const gex_Event_t *_lc_opt,
                               gex_Flags_t flags,
                               unsigned int numargs);

/**
 * As gex_AM_MaxRequestMedium, of a Medium reply.
 *
 * Source: GASNet-EX 0.19, "Maximum payload size queries".
 */
size_t gex_AM_MaxReplyMedium(gex_TM_t tm,
                             gex_Rank_t other_rank,
                             const gex_Event_t *_lc_opt,
                             gex_Flags_t flags,
                             unsigned int numargs);

/**
 * As gex_AM_MaxRequestMedium, of a Long request.
 *
 * Source: GASNet-EX 0.19, "Maximum payload size queries".
 */
size_t gex_AM_MaxRequestLong(gex_TM_t tm,
                             gex_Rank_t other_rank,
                             const gex_Event_t *_lc_opt,
                             gex_Flags_t flags,
                             unsigned int numargs);

/**
 * As gex_AM_MaxRequestMedium, of a Long reply.
 *
 * Source: GASNet-EX 0.19, "Maximum payload size queries".
 */
size_t gex_AM_MaxReplyLong(gex_TM_t tm,
                           gex_Rank_t other_rank,
                           const gex_Event_t *_lc_opt,
                           gex_Flags_t flags,
                           unsigned int numargs);

/**
 * Largest payload, in bytes, of a Medium reply to the request of 'token'. Legal in request handlers only.
 *
 * Source: GASNet-EX 0.19, "Token-specific max fixed-payload queries".
 */
size_t gex_Token_MaxReplyMedium(gex_Token_t token,
                                const gex_Event_t *_lc_opt,
                                gex_Flags_t flags,
                                unsigned int numargs);

/**
 * As gex_Token_MaxReplyMedium, of a Long reply.
 *
 * Source: GASNet-EX 0.19, "Token-specific max fixed-payload queries".
 */
size_t gex_Token_MaxReplyLong(gex_Token_t token,
                              const gex_Event_t *_lc_opt,
                              gex_Flags_t flags,
                              unsigned int numargs);

/**
 * The least value of gex_AM_MaxRequestMedium, for any arguments.
 *
 * Source: GASNet-EX 0.19, "Least-upper-bound fixed-payload queries".
 */
size_t gex_AM_LUBRequestMedium(void);

/**
 * The least value of gex_AM_MaxReplyMedium, for any arguments.
 *
 * Source: GASNet-EX 0.19, "Least-upper-bound fixed-payload queries".
 */
size_t gex_AM_LUBReplyMedium(void);

/**
 * The least value of gex_AM_MaxRequestLong, for any arguments.
 *
 * Source: GASNet-EX 0.19, "Least-upper-bound fixed-payload queries".
 */
size_t gex_AM_LUBRequestLong(void);

/**
 * The least value of gex_AM_MaxReplyLong, for any arguments.
 *
 * Source: GASNet-EX 0.19, "Least-upper-bound fixed-payload queries".
 */
size_t gex_AM_LUBReplyLong(void);

/**
 * Fills all fields of '*info' with information on the message of 'token', regardless of 'mask'. Legal in any
 * handler. Returns the mask of valid fields, GEX_TI_ALL.
 *
 * Source: GASNet-EX 0.19, "AM Token Info".
 *
 * The caller sees to it that:
 * 'token' is the one passed to the running handler; 'info' may be written.
 */
gex_TI_t gex_Token_Info(gex_Token_t token, struct gex_Token_Info_t *info, gex_TI_t mask);

/**
 * Registers 'numentries' handlers of messages to 'ep': those with an index first, then those with index 0, in table
 * order, at the highest free index each, which is written back. Not collective; may be repeated.
 * If a message arrives at a non-primordial endpoint on which its handler is not registered, the primordial
 * endpoint's handler of that index runs.
 *
 * In debug clients the arrival of a message that does not match gex_flags or gex_nargs of its entry ends the job.
 *
 * Returns GASNET_OK; otherwise nothing is registered, and the result is GASNET_ERR_BAD_ARG (an index that is in
 * use or below GEX_AM_INDEX_BASE, a NULL function, an endpoint without the AM capability) or GASNET_ERR_RESOURCE
 * (no free index).
 *
 * Source: GASNet-EX 0.19, "gex_EP_RegisterHandlers".
 *
 * The caller sees to it that:
 * 'table' has 'numentries' entries that may be written.
 */
int gex_EP_RegisterHandlers(gex_EP_t ep,
                            gex_AM_Entry_t *table,
                            size_t numentries);

/**
 * Enters the barrier of all ranks.
 *
 * 'id' is the barrier's name, unless 'flags' has GASNET_BARRIERFLAG_ANONYMOUS; GASNET_BARRIERFLAG_MISMATCH makes
 * the barrier a mismatch on every rank. Does not wait. Operations that were started and not synchronised are not
 * ordered. Ends the job if this rank has not completed the previous barrier by wait or try.
 *
 * Source: GASNet 1.8, "Barriers".
 */
void gasnet_barrier_notify(int id,
                           int flags);

/**
 * Waits until every rank has entered the barrier that this rank notified.
 *
 * Blocks, and may run AM handlers; must not be called from a handler. Called by one thread per rank, not
 * necessarily the one that notified. 'id' and 'flags' should be those of the notify; a named wait may follow an
 * anonymous notify and the reverse.
 *
 * Returns GASNET_OK, or GASNET_ERR_BARRIER_MISMATCH if names differ or a rank passed GASNET_BARRIERFLAG_MISMATCH;
 * in both cases the next barrier may follow. If no barrier was notified, debug clients end the job, and release
 * clients return at once the outcome of the previous barrier.
 *
 * Source: GASNet 1.8, "Barriers".
 */
int gasnet_barrier_wait(int id,
                        int flags);

/**
 * As 'gasnet_barrier_wait', but without waiting.
 *
 * Polls once, and may run AM handlers; must not be called from a handler.
 *
 * Returns GASNET_ERR_NOT_READY if a rank has not entered the barrier, which then remains to be completed; else as
 * 'gasnet_barrier_wait'.
 *
 * Source: GASNet 1.8, "Barriers".
 */
int gasnet_barrier_try(int id,
                       int flags);

/**
 * Equivalent to a notify followed by a wait.
 *
 * Blocks, and may run AM handlers; must not be called from a handler, nor between notify and wait.
 *
 * Returns as 'gasnet_barrier_wait'. An extension.
 */
int gasnet_barrier(int id, int flags);

/**
 * The name of the barrier that was completed last. Must not be called between notify and wait.
 *
 * Returns 0 and stores the name in '*id' if at least one rank gave a name and all given names are equal; else
 * nonzero: GASNET_BARRIERFLAG_ANONYMOUS if no rank gave a name, GASNET_BARRIERFLAG_MISMATCH if names differ. An
 * extension.
 *
 * The caller sees to it that:
 * 'id' is writable.
 */
int gasnet_barrier_result(int *id);

/**
 * Registers 'numentries' handlers and attaches a segment of 'segsize' bytes. Collective, with the effect of a
 * barrier; called once. 'minheapoffset' is a hint without effect.
 *
 * Entries with index 0 are assigned an index, which is written back. 'segsize' is a multiple of GASNET_PAGESIZE
 * and may differ between ranks; 0 makes a segment of one page. Returns GASNET_OK; GASNET_ERR_NOT_INIT before init
 * or at a second call; GASNET_ERR_BAD_ARG; GASNET_ERR_RESOURCE if there are more handlers than indices.
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
 * Returns this process's rank. Legal after gasnet_init.
 *
 * Source: GASNet 1.8, "gasnet_mynode".
 */
gasnet_node_t gasnet_mynode(void);

/**
 * Returns the number of ranks in the job. Legal after gasnet_init.
 *
 * Source: GASNet 1.8, "gasnet_nodes".
 */
gasnet_node_t gasnet_nodes(void);

/**
 * Returns the size of the largest segment that this rank can attach, in bytes. Legal between init and attach.
 *
 * Source: GASNet 1.8, "gasnet_getMaxLocalSegmentSize".
 */
size_t gasnet_getMaxLocalSegmentSize(void);

/**
 * Returns the size of the largest segment that every rank can attach, in bytes. Legal between init and attach.
 *
 * Source: GASNet 1.8, "gasnet_getMaxGlobalSegmentSize".
 */
size_t gasnet_getMaxGlobalSegmentSize(void);

/**
 * Fills the first 'numentries' entries of 'table' with the segments of ranks 0 …; entries beyond the number of
 * ranks are not changed. Before attach, release clients get empty segments, and debug clients GASNET_ERR_NOT_INIT.
 * Returns GASNET_OK, GASNET_ERR_NOT_INIT or GASNET_ERR_BAD_ARG.
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
 * address in the segment of a rank of this supernode into a local one. With GASNET_SEGMENT_EVERYTHING each rank is
 * a supernode of its own, because its memory is not mapped by other ranks. Legal after init. Returns GASNET_OK,
 * GASNET_ERR_NOT_INIT or GASNET_ERR_BAD_ARG.
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
 * Sets a hint on how this rank's threads wait: GASNET_WAIT_SPIN (0), GASNET_WAIT_BLOCK (1), GASNET_WAIT_SPINBLOCK
 * (2). Returns GASNET_OK or GASNET_ERR_BAD_ARG.
 *
 * Source: GASNet 1.8, "gasnet_set_waitmode".
 */
int gasnet_set_waitmode(int wait_mode);

/**
 * One step of GASNET_BLOCKUNTIL, called when its condition is false.
 *
 * The caller sees to it that:
 * 'wait' was initialised as gasneti_wait_t says before its first use and belongs to this thread.
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
 * Returns this thread's thread-info pointer: constant in a thread, distinct between threads.
 *
 * Source: GASNet 1.8, "Thread-identification optimization".
 */
void *gasneti_threadinfo(void);

/**
 * Starts a barrier over 'tm': the event is complete once every member has started it. Memory accesses of a member
 * before it started the barrier are visible to members that have synchronised the event.
 *
 * Does not wait; may run AM handlers; must not be called from a handler. Called by all members in the same order
 * as their other collectives over 'tm', any number of which may be in flight. 'flags' is 0.
 *
 * Source: GASNet-EX 0.19, "Collectives Part I. Barrier".
 */
gex_Event_t gex_Coll_BarrierNB(gex_TM_t tm,
                               gex_Flags_t _flags);

/**
 * Equivalent to 'gex_Coll_BarrierNB' followed by a wait. Blocks. Returns 0.
 *
 * Source: GASNet-EX 2025.8.0, its tests.
 */
int gex_Coll_BarrierBlocking(gex_TM_t tm, gex_Flags_t _flags);

/**
 * Starts to copy 'nbytes' bytes at 'src' of member 'root' to 'dst' of every member of 'tm'.
 *
 * Does not wait; may run AM handlers; must not be called from a handler. Called by all members in the same order
 * as their other collectives over 'tm'. The event is complete when 'dst' has the bytes on this member and, on
 * 'root', 'src' may be reused. 'src' is used on 'root' only, where it may be 'dst'. 'root' and 'nbytes' are the
 * same on all members; 'flags' is 0.
 *
 * Ends the job if 'root' is not a rank of 'tm'.
 *
 * Source: GASNet-EX 0.19, "Collectives Part II. Data Movement".
 *
 * The caller sees to it that:
 * Until the event is synchronised, no other thread or operation writes the 'nbytes' bytes of 'src' on 'root', or
 * accesses those of 'dst'.
 */
gex_Event_t gex_Coll_BroadcastNB(gex_TM_t tm,
                                 gex_Rank_t root,
                                 void *dst,
                                 const void *src,
                                 size_t nbytes,
                                 gex_Flags_t _flags);

/**
 * Starts to reduce the vectors 'src' of all members of 'tm', element by element, to 'dst' of member 'root'.
 *
 * A vector has 'dt_cnt' elements of type 'dt', each of 'dt_sz' bytes; 'op' is one of GEX_OP_ADD, _MULT, _MIN, _MAX and,
 * for integers, _AND, _OR, _XOR, or GEX_OP_USER or GEX_OP_USER_NC, for which 'user_op' is called with
 * 'user_cdata'; for GEX_DT_USER it must be one of these two. The result combines 'src' of ranks 0, 1, and so on by
 * 'op'; only with GEX_OP_USER_NC it is combined strictly in this order. The same arguments on the same team give
 * bitwise identical results.
 *
 * Does not wait; may run AM handlers; must not be called from a handler. Called by all members in the same order
 * as their other collectives over 'tm'. The event is complete when 'src' may be reused and, on 'root', 'dst' has
 * the result. 'dst' is used on 'root' only, where it may be 'src'. 'root', 'dt', 'dt_sz', 'dt_cnt' and 'op' are
 * the same on all members; 'flags' is 0.
 *
 * Ends the job if 'root' is not a rank of 'tm', 'dt_sz' is 0, or 'dt', 'dt_sz' and 'op' do not match. If 'dt_cnt'
 * is 0, debug clients end the job, and in release clients the call has no effect.
 *
 * Source: GASNet-EX 0.19, "Reduction to one".
 *
 * The caller sees to it that:
 * Until the event is synchronised, no other thread or operation writes the vector 'src', or accesses the vector
 * 'dst' on 'root'; 'user_op' accesses only the elements that it is given.
 */
gex_Event_t gex_Coll_ReduceToOneNB(gex_TM_t tm,
                                   gex_Rank_t root,
                                   void *dst,
                                   const void *src,
                                   gex_DT_t dt,
                                   size_t dt_sz,
                                   size_t dt_cnt,
                                   gex_OP_t op,
                                   gex_Coll_ReduceFn_t user_op,
                                   void *user_cdata,
                                   gex_Flags_t _flags);

/**
 * Starts to reduce the vectors 'src' of all members of 'tm', element by element, to 'dst' of every member.
 *
 * As 'gex_Coll_ReduceToOneNB', but the event is complete when 'dst' has the result on this member; the result is
 * bitwise identical on all members. 'dst' may be 'src', on all members or on none.
 *
 * Source: GASNet-EX 0.19, "Reduction to all".
 *
 * The caller sees to it that:
 * Until the event is synchronised, no other thread or operation writes the vector 'src', or accesses the vector
 * 'dst'; 'user_op' accesses only the elements that it is given.
 */
gex_Event_t gex_Coll_ReduceToAllNB(gex_TM_t tm,
                                   void *dst,
                                   const void *src,
                                   gex_DT_t dt,
                                   size_t dt_sz,
                                   size_t dt_cnt,
                                   gex_OP_t op,
                                   gex_Coll_ReduceFn_t user_op,
                                   void *user_cdata,
                                   gex_Flags_t _flags);

/**
 * Reduces an array over the images of 'team', from left to right, to one element at 'dst' of image 'dstimage', with
 * each image's part at 'src'.
 *
 * An array over the images consists of elements of 'elem_size' bytes and is distributed block-cyclically, with
 * blocks of 'src_blksz' elements; the operand is the 'elem_count' elements from element 'src_offset' on. 'func' is
 * an index into the table passed to 'gasnet_coll_init'; the function is called with 'func_arg', and is commutative
 * unless its entry has GASNET_COLL_NONCOMM. With 'src_blksz' 0 every image has a vector of 'elem_count' elements,
 * the reduction is done element by element, and 'dst' gets 'elem_count' elements; 'src_offset' must be 0.
 *
 * Ends the job if 'func' is not an index of the table.
 *
 * Blocks, and may run AM handlers; must not be called from a handler, nor between barrier notify and wait. Called
 * by all images of the team, in the same order as their other collectives. 'flags' has one of
 * GASNET_COLL_IN_{NO,MY,ALL}SYNC, one of GASNET_COLL_OUT_{NO,MY,ALL}SYNC, and GASNET_COLL_LOCAL or
 * GASNET_COLL_SINGLE.
 *
 * Source: GASNet collectives, "Reduce".
 *
 * The caller sees to it that:
 * Each image has its part of the array, and on 'dstimage' 'dst' has room for the result; no other thread accesses
 * them, as the sync flags require.
 */
void gasnet_coll_reduce(gasnet_team_handle_t team,
                        gasnet_image_t dstimage,
                        void *dst,
                        void *src,
                        size_t src_blksz,
                        size_t src_offset,
                        size_t elem_size,
                        size_t elem_count,
                        gasnet_coll_fn_handle_t func,
                        int func_arg,
                        int flags);

/**
 * Starts a 'gasnet_coll_reduce'; the handle is complete when that call would return.
 *
 * Does not wait; may run AM handlers; must not be called from a handler. GASNET_COLL_AGGREGATE is as for
 * 'gasnet_coll_broadcast_nb'.
 *
 * Source: GASNet collectives, "Reduce".
 *
 * The caller sees to it that:
 * As 'gasnet_coll_reduce', until the handle is synchronised.
 */
gasnet_coll_handle_t gasnet_coll_reduce_nb(gasnet_team_handle_t team,
                                           gasnet_image_t dstimage,
                                           void *dst,
                                           void *src,
                                           size_t src_blksz,
                                           size_t src_offset,
                                           size_t elem_size,
                                           size_t elem_count,
                                           gasnet_coll_fn_handle_t func,
                                           int func_arg,
                                           int flags);

/**
 * Scans an array over the images of 'team': element 'i' of the result is the reduction of elements 0 to 'i'
 * (GASNET_COLL_INCLUSIVE_SCAN), or 0 to 'i - 1' (GASNET_COLL_EXCLUSIVE_SCAN, which does not change element 0 of
 * the result).
 *
 * An array over the images consists of elements of 'elem_size' bytes and is distributed block-cyclically, with
 * blocks of 'src_blksz' elements; the operand is the 'elem_count' elements from element 'src_offset' on. 'func' is
 * an index into the table passed to 'gasnet_coll_init'; the function is called with 'func_arg', and is commutative
 * unless its entry has GASNET_COLL_NONCOMM. The result is distributed in the same way, according to 'dst_blksz'
 * and 'dst_offset'. If the block size is 0, the whole array lies on one image, and the offset is the number of
 * this image.
 *
 * Ends the job if 'func' is not an index of the table.
 *
 * Blocks, and may run AM handlers; must not be called from a handler, nor between barrier notify and wait. Called
 * by all images of the team, in the same order as their other collectives. 'flags' has one of
 * GASNET_COLL_IN_{NO,MY,ALL}SYNC, one of GASNET_COLL_OUT_{NO,MY,ALL}SYNC, and GASNET_COLL_LOCAL or
 * GASNET_COLL_SINGLE, and one of the two scan flags above.
 *
 * Source: GASNet collectives, "Scan".
 *
 * The caller sees to it that:
 * Each image has its parts of both arrays; no other thread accesses them, as the sync flags require.
 */
void gasnet_coll_scan(gasnet_team_handle_t team,
                      void *dst,
                      size_t dst_blksz,
                      size_t dst_offset,
                      void *src,
                      size_t src_blksz,
                      size_t src_offset,
                      size_t elem_size,
                      size_t elem_count,
                      gasnet_coll_fn_handle_t func,
                      int func_arg,
                      int flags);

/**
 * Starts a 'gasnet_coll_scan'; the handle is complete when that call would return.
 *
 * Does not wait; may run AM handlers; must not be called from a handler. GASNET_COLL_AGGREGATE is as for
 * 'gasnet_coll_broadcast_nb'.
 *
 * Source: GASNet collectives, "Scan".
 *
 * The caller sees to it that:
 * As 'gasnet_coll_scan', until the handle is synchronised.
 */
gasnet_coll_handle_t gasnet_coll_scan_nb(gasnet_team_handle_t team,
                                         void *dst,
                                         size_t dst_blksz,
                                         size_t dst_offset,
                                         void *src,
                                         size_t src_blksz,
                                         size_t src_offset,
                                         size_t elem_size,
                                         size_t elem_count,
                                         gasnet_coll_fn_handle_t func,
                                         int func_arg,
                                         int flags);

/**
 * Reduces an array over the images of 'team', from left to right, to one element at 'dst' of image 'dstimage', with
 * the address of each image in 'srclist'. Lists have an address for each image of the calling rank, in the order of
 * images; with GASNET_COLL_SINGLE for each image of the team.
 *
 * An array over the images consists of elements of 'elem_size' bytes and is distributed block-cyclically, with
 * blocks of 'src_blksz' elements; the operand is the 'elem_count' elements from element 'src_offset' on. 'func' is
 * an index into the table passed to 'gasnet_coll_init'; the function is called with 'func_arg', and is commutative
 * unless its entry has GASNET_COLL_NONCOMM. With 'src_blksz' 0 every image has a vector of 'elem_count' elements,
 * the reduction is done element by element, and 'dst' gets 'elem_count' elements; 'src_offset' must be 0.
 *
 * Ends the job if 'func' is not an index of the table.
 *
 * Blocks, and may run AM handlers; must not be called from a handler, nor between barrier notify and wait. Called
 * by all images of the team, in the same order as their other collectives. 'flags' has one of
 * GASNET_COLL_IN_{NO,MY,ALL}SYNC, one of GASNET_COLL_OUT_{NO,MY,ALL}SYNC, and GASNET_COLL_LOCAL or
 * GASNET_COLL_SINGLE.
 *
 * Source: GASNet collectives, "Reduce".
 *
 * The caller sees to it that:
 * Each image has its part of the array, and on 'dstimage' 'dst' has room for the result; no other thread accesses
 * them, as the sync flags require.
 */
void gasnet_coll_reduceM(gasnet_team_handle_t team,
                         gasnet_image_t dstimage,
                         void *dst,
                         void *const *srclist,
                         size_t src_blksz,
                         size_t src_offset,
                         size_t elem_size,
                         size_t elem_count,
                         gasnet_coll_fn_handle_t func,
                         int func_arg,
                         int flags);

/**
 * Starts a 'gasnet_coll_reduceM'; the handle is complete when that call would return.
 *
 * Does not wait; may run AM handlers; must not be called from a handler. GASNET_COLL_AGGREGATE is as for
 * 'gasnet_coll_broadcast_nb'.
 *
 * Source: GASNet collectives, "Reduce".
 *
 * The caller sees to it that:
 * As 'gasnet_coll_reduceM', until the handle is synchronised.
 */
gasnet_coll_handle_t gasnet_coll_reduceM_nb(gasnet_team_handle_t team,
                                            gasnet_image_t dstimage,
                                            void *dst,
                                            void *const *srclist,
                                            size_t src_blksz,
                                            size_t src_offset,
                                            size_t elem_size,
                                            size_t elem_count,
                                            gasnet_coll_fn_handle_t func,
                                            int func_arg,
                                            int flags);

/**
 * Scans an array over the images of 'team': element 'i' of the result is the reduction of elements 0 to 'i'
 * (GASNET_COLL_INCLUSIVE_SCAN), or 0 to 'i - 1' (GASNET_COLL_EXCLUSIVE_SCAN, which does not change element 0 of
 * the result). Addresses of images are in 'dstlist' and 'srclist'. Lists have an address for each image of the
 * calling rank, in the order of images; with GASNET_COLL_SINGLE for each image of the team.
 *
 * An array over the images consists of elements of 'elem_size' bytes and is distributed block-cyclically, with
 * blocks of 'src_blksz' elements; the operand is the 'elem_count' elements from element 'src_offset' on. 'func' is
 * an index into the table passed to 'gasnet_coll_init'; the function is called with 'func_arg', and is commutative
 * unless its entry has GASNET_COLL_NONCOMM. The result is distributed in the same way, according to 'dst_blksz'
 * and 'dst_offset'. If the block size is 0, the whole array lies on one image, and the offset is the number of
 * this image.
 *
 * Ends the job if 'func' is not an index of the table.
 *
 * Blocks, and may run AM handlers; must not be called from a handler, nor between barrier notify and wait. Called
 * by all images of the team, in the same order as their other collectives. 'flags' has one of
 * GASNET_COLL_IN_{NO,MY,ALL}SYNC, one of GASNET_COLL_OUT_{NO,MY,ALL}SYNC, and GASNET_COLL_LOCAL or
 * GASNET_COLL_SINGLE, and one of the two scan flags above.
 *
 * Source: GASNet collectives, "Scan".
 *
 * The caller sees to it that:
 * Each image has its parts of both arrays; no other thread accesses them, as the sync flags require.
 */
void gasnet_coll_scanM(gasnet_team_handle_t team,
                       void *const *dstlist,
                       size_t dst_blksz,
                       size_t dst_offset,
                       void *const *srclist,
                       size_t src_blksz,
                       size_t src_offset,
                       size_t elem_size,
                       size_t elem_count,
                       gasnet_coll_fn_handle_t func,
                       int func_arg,
                       int flags);

/**
 * Starts a 'gasnet_coll_scanM'; the handle is complete when that call would return.
 *
 * Does not wait; may run AM handlers; must not be called from a handler. GASNET_COLL_AGGREGATE is as for
 * 'gasnet_coll_broadcast_nb'.
 *
 * Source: GASNet collectives, "Scan".
 *
 * The caller sees to it that:
 * As 'gasnet_coll_scanM', until the handle is synchronised.
 */
gasnet_coll_handle_t gasnet_coll_scanM_nb(gasnet_team_handle_t team,
                                          void *const *dstlist,
                                          size_t dst_blksz,
                                          size_t dst_offset,
                                          void *const *srclist,
                                          size_t src_blksz,
                                          size_t src_offset,
                                          size_t elem_size,
                                          size_t elem_count,
                                          gasnet_coll_fn_handle_t func,
                                          int func_arg,
                                          int flags);

/**
 * Initialises GASNet-1's collectives for several images per rank and for reductions. Called once by every image,
 * each on its own thread. Blocks until all images of the job have called it, and may run AM handlers. Without this
 * call each rank is one image, and there are no reduction functions.
 *
 * 'images' has the number of images of each rank, and is equal on all ranks; NULL means one image per rank, whose
 * calls may come from any thread. 'my_image' is the number of the calling image; images are numbered consecutively
 * over the ranks. It is ignored if 'images' is NULL. 'fn_tbl' has the 'fn_count' reduction functions, whose
 * addresses may differ between ranks. 'init_flags' is 0.
 *
 * Ends the job if a rank has no image, or in a GASNET_SEQ client more than one; if 'my_image' is not an image of
 * this rank; if 'fn_tbl' is NULL but 'fn_count' is not 0; or if the arguments of ranks, or of images of one rank,
 * differ. Debug clients also end the job if an image calls it again, which has no effect in release clients, or if
 * 'init_flags' is not 0.
 *
 * Source: GASNet collectives, "Initialization".
 *
 * The caller sees to it that:
 * 'images' is NULL or has one entry per rank; 'fn_tbl' has 'fn_count' entries.
 */
void gasnet_coll_init(const gasnet_image_t *images,
                      gasnet_image_t my_image,
                      struct gasnet_coll_fn_entry_t *fn_tbl,
                      size_t fn_count,
                      int init_flags);

/**
 * GASNET_TEAM_ALL: the primordial team.
 */
gasnet_team_handle_t gasneti_team_all(void);

/**
 * Waits until the collective of 'handle' is complete, according to its sync flags, and releases the handle.
 *
 * Blocks, and may run AM handlers; must not be called from a handler. Must be called by the thread that started
 * the collective.
 *
 * Source: GASNet collectives, "Synchronization".
 */
void gasnet_coll_wait_sync(gasnet_coll_handle_t handle);

/**
 * Returns GASNET_OK and releases the handle if the collective of 'handle' is complete; else GASNET_ERR_NOT_READY.
 * Polls.
 *
 * Source: GASNet collectives, "Synchronization".
 */
int gasnet_coll_try_sync(gasnet_coll_handle_t handle);

/**
 * Waits until all collectives of the list are complete. Their handles are released and overwritten by
 * GASNET_COLL_INVALID_HANDLE, which counts as complete.
 *
 * Source: GASNet collectives, "Synchronization".
 *
 * The caller sees to it that:
 * 'phandle' has 'numhandles' handles that no other thread accesses until this call returns.
 */
void gasnet_coll_wait_sync_all(gasnet_coll_handle_t *phandle, size_t numhandles);

/**
 * Returns GASNET_OK if all collectives of the list are complete, else GASNET_ERR_NOT_READY. Handles of complete
 * collectives are released and overwritten by GASNET_COLL_INVALID_HANDLE. Polls.
 *
 * Source: GASNet collectives, "Synchronization".
 *
 * The caller sees to it that:
 * As 'gasnet_coll_wait_sync_all'.
 */
int gasnet_coll_try_sync_all(gasnet_coll_handle_t *phandle,
                             size_t numhandles);

/**
 * Waits until at least one collective of the list is complete; returns at once if the list has no valid handle.
 * Handles of complete collectives are released and overwritten by GASNET_COLL_INVALID_HANDLE.
 *
 * Source: GASNet collectives, "Synchronization".
 *
 * The caller sees to it that:
 * As 'gasnet_coll_wait_sync_all'.
 */
void gasnet_coll_wait_sync_some(gasnet_coll_handle_t *phandle,
                                size_t numhandles);

/**
 * Returns GASNET_OK if at least one collective of the list is complete or the list has no valid handle, else
 * GASNET_ERR_NOT_READY. Handles of complete collectives are released and overwritten by
 * GASNET_COLL_INVALID_HANDLE. Polls.
 *
 * Source: GASNet collectives, "Synchronization".
 *
 * The caller sees to it that:
 * As 'gasnet_coll_wait_sync_all'.
 */
int gasnet_coll_try_sync_some(gasnet_coll_handle_t *phandle, size_t numhandles);

/**
 * Would search for the best algorithm for collective 'op' over 'team' with arguments 'coll_args'. In this library
 * the algorithm is selected by size and location when a collective starts, so no measurement is made:
 * '*best_algidx' and '*num_params' become 0, '*best_param' and '*best_tree' NULL. Each of the four pointers may be
 * NULL.
 *
 * The caller sees to it that:
 * The last four pointers are NULL or writable.
 */
void gasnet_coll_tune_generic_op(gasnet_team_handle_t team,
                                 unsigned int op,
                                 struct gasnet_coll_args_t coll_args,
                                 int flags,
                                 void (*fnptr)(void *arg),
                                 void *sample_work_arg,
                                 uint32_t *best_algidx,
                                 uint32_t *num_params,
                                 uint32_t **best_param,
                                 char **best_tree);

/**
 * Copies 'nbytes' bytes at 'src' of image 'srcimage' to 'dst' of every image of 'team'. 'src' is used on
 * 'srcimage' only, where it may be 'dst'.
 *
 * Blocks, and may run AM handlers; must not be called from a handler, nor between barrier notify and wait. Called
 * by all images of the team, in the same order as their other collectives. 'flags' has one of
 * GASNET_COLL_IN_{NO,MY,ALL}SYNC, one of GASNET_COLL_OUT_{NO,MY,ALL}SYNC, and GASNET_COLL_LOCAL or
 * GASNET_COLL_SINGLE.
 *
 * Source: GASNet collectives, "Broadcast".
 *
 * The caller sees to it that:
 * 'dst', and on 'srcimage' 'src', have 'nbytes' bytes that no other thread accesses, as the sync flags require.
 */
void gasnet_coll_broadcast(gasnet_team_handle_t team,
                           void *dst,
                           gasnet_image_t srcimage,
                           void *src,
                           size_t nbytes,
                           int flags);

/**
 * Starts a 'gasnet_coll_broadcast'; the handle is complete when that call would return.
 *
 * Does not wait; may run AM handlers; must not be called from a handler. With GASNET_COLL_AGGREGATE the returned
 * handle is not valid; the next call over the team by this thread without that flag ends the aggregate and returns
 * its handle.
 *
 * Source: GASNet collectives, "Broadcast".
 *
 * The caller sees to it that:
 * As 'gasnet_coll_broadcast', until the handle is synchronised.
 */
gasnet_coll_handle_t gasnet_coll_broadcast_nb(gasnet_team_handle_t team,
                                              void *dst,
                                              gasnet_image_t srcimage,
                                              void *src,
                                              size_t nbytes,
                                              int flags);

/**
 * Copies block 'i', of 'nbytes' bytes, of 'src' of image 'srcimage' to 'dst' of image 'i' of 'team'. 'src' is used
 * on 'srcimage' only; its own block of 'src' may be 'dst'.
 *
 * Blocks, and may run AM handlers; must not be called from a handler, nor between barrier notify and wait. Called
 * by all images of the team, in the same order as their other collectives. 'flags' has one of
 * GASNET_COLL_IN_{NO,MY,ALL}SYNC, one of GASNET_COLL_OUT_{NO,MY,ALL}SYNC, and GASNET_COLL_LOCAL or
 * GASNET_COLL_SINGLE.
 *
 * Source: GASNet collectives, "Scatter".
 *
 * The caller sees to it that:
 * 'dst' has 'nbytes' bytes, and on 'srcimage' 'src' the same number for each image, that no other thread accesses,
 * as the sync flags require.
 */
void gasnet_coll_scatter(gasnet_team_handle_t team,
                         void *dst,
                         gasnet_image_t srcimage,
                         void *src,
                         size_t nbytes,
                         int flags);

/**
 * Starts a 'gasnet_coll_scatter'; the handle is complete when that call would return.
 *
 * Does not wait; may run AM handlers; must not be called from a handler. With GASNET_COLL_AGGREGATE the returned
 * handle is not valid; the next call over the team by this thread without that flag ends the aggregate and returns
 * its handle.
 *
 * Source: GASNet collectives, "Scatter".
 *
 * The caller sees to it that:
 * As 'gasnet_coll_scatter', until the handle is synchronised.
 */
gasnet_coll_handle_t gasnet_coll_scatter_nb(gasnet_team_handle_t team,
                                            void *dst,
                                            gasnet_image_t srcimage,
                                            void *src,
                                            size_t nbytes,
                                            int flags);

/**
 * Copies the 'nbytes' bytes at 'src' of image 'i' of 'team' to block 'i' of 'dst' of image 'dstimage'. 'dst' is
 * used on 'dstimage' only; its own block of 'dst' may be 'src'.
 *
 * Blocks, and may run AM handlers; must not be called from a handler, nor between barrier notify and wait. Called
 * by all images of the team, in the same order as their other collectives. 'flags' has one of
 * GASNET_COLL_IN_{NO,MY,ALL}SYNC, one of GASNET_COLL_OUT_{NO,MY,ALL}SYNC, and GASNET_COLL_LOCAL or
 * GASNET_COLL_SINGLE.
 *
 * Source: GASNet collectives, "Gather".
 *
 * The caller sees to it that:
 * 'src' has 'nbytes' bytes, and on 'dstimage' 'dst' the same number for each image, that no other thread accesses,
 * as the sync flags require.
 */
void gasnet_coll_gather(gasnet_team_handle_t team,
                        gasnet_image_t dstimage,
                        void *dst,
                        void *src,
                        size_t nbytes,
                        int flags);

/**
 * Starts a 'gasnet_coll_gather'; the handle is complete when that call would return.
 *
 * Does not wait; may run AM handlers; must not be called from a handler. With GASNET_COLL_AGGREGATE the returned
 * handle is not valid; the next call over the team by this thread without that flag ends the aggregate and returns
 * its handle.
 *
 * Source: GASNet collectives, "Gather".
 *
 * The caller sees to it that:
 * As 'gasnet_coll_gather', until the handle is synchronised.
 */
gasnet_coll_handle_t gasnet_coll_gather_nb(gasnet_team_handle_t team,
                                           gasnet_image_t dstimage,
                                           void *dst,
                                           void *src,
                                           size_t nbytes,
                                           int flags);

/**
 * Copies the 'nbytes' bytes at 'src' of image 'i' of 'team' to block 'i' of 'dst' of every image. The image's own
 * block of 'dst' may be 'src'.
 *
 * Blocks, and may run AM handlers; must not be called from a handler, nor between barrier notify and wait. Called
 * by all images of the team, in the same order as their other collectives. 'flags' has one of
 * GASNET_COLL_IN_{NO,MY,ALL}SYNC, one of GASNET_COLL_OUT_{NO,MY,ALL}SYNC, and GASNET_COLL_LOCAL or
 * GASNET_COLL_SINGLE.
 *
 * Source: GASNet collectives, "Gather all".
 *
 * The caller sees to it that:
 * 'src' has 'nbytes' bytes, and 'dst' the same number for each image, that no other thread accesses, as the sync
 * flags require.
 */
void gasnet_coll_gather_all(gasnet_team_handle_t team,
                            void *dst,
                            void *src,
                            size_t nbytes,
                            int flags);

/**
 * Starts a 'gasnet_coll_gather_all'; the handle is complete when that call would return.
 *
 * Does not wait; may run AM handlers; must not be called from a handler. With GASNET_COLL_AGGREGATE the returned
 * handle is not valid; the next call over the team by this thread without that flag ends the aggregate and returns
 * its handle.
 *
 * Source: GASNet collectives, "Gather all".
 *
 * The caller sees to it that:
 * As 'gasnet_coll_gather_all', until the handle is synchronised.
 */
gasnet_coll_handle_t gasnet_coll_gather_all_nb(gasnet_team_handle_t team,
                                               void *dst,
                                               void *src,
                                               size_t nbytes,
                                               int flags);

/**
 * Copies block 'j', of 'nbytes' bytes, of 'src' of image 'i' of 'team' to block 'i' of 'dst' of image 'j'. The two
 * do not overlap.
 *
 * Blocks, and may run AM handlers; must not be called from a handler, nor between barrier notify and wait. Called
 * by all images of the team, in the same order as their other collectives. 'flags' has one of
 * GASNET_COLL_IN_{NO,MY,ALL}SYNC, one of GASNET_COLL_OUT_{NO,MY,ALL}SYNC, and GASNET_COLL_LOCAL or
 * GASNET_COLL_SINGLE.
 *
 * Source: GASNet collectives, "Exchange".
 *
 * The caller sees to it that:
 * 'src' and 'dst' have 'nbytes' bytes for each image that no other thread accesses, as the sync flags require.
 */
void gasnet_coll_exchange(gasnet_team_handle_t team,
                          void *dst,
                          void *src,
                          size_t nbytes,
                          int flags);

/**
 * Starts a 'gasnet_coll_exchange'; the handle is complete when that call would return.
 *
 * Does not wait; may run AM handlers; must not be called from a handler. With GASNET_COLL_AGGREGATE the returned
 * handle is not valid; the next call over the team by this thread without that flag ends the aggregate and returns
 * its handle.
 *
 * Source: GASNet collectives, "Exchange".
 *
 * The caller sees to it that:
 * As 'gasnet_coll_exchange', until the handle is synchronised.
 */
gasnet_coll_handle_t gasnet_coll_exchange_nb(gasnet_team_handle_t team,
                                             void *dst,
                                             void *src,
                                             size_t nbytes,
                                             int flags);

/**
 * Copies 'nbytes' bytes at 'src' of image 'srcimage' to each address of 'dstlist'. 'src' is used on 'srcimage'
 * only, where it may be one of these addresses. Lists have an address for each image of the calling rank, in the
 * order of images; with GASNET_COLL_SINGLE for each image of the team.
 *
 * Blocks, and may run AM handlers; must not be called from a handler, nor between barrier notify and wait. Called
 * by all images of the team, in the same order as their other collectives. 'flags' has one of
 * GASNET_COLL_IN_{NO,MY,ALL}SYNC, one of GASNET_COLL_OUT_{NO,MY,ALL}SYNC, and GASNET_COLL_LOCAL or
 * GASNET_COLL_SINGLE.
 *
 * Source: GASNet collectives, "Broadcast".
 *
 * The caller sees to it that:
 * Each address of 'dstlist', and on 'srcimage' 'src', has 'nbytes' bytes that no other thread accesses, as the
 * sync flags require. Lists have all their entries.
 */
void gasnet_coll_broadcastM(gasnet_team_handle_t team,
                            void *const *dstlist,
                            gasnet_image_t srcimage,
                            void *src,
                            size_t nbytes,
                            int flags);

/**
 * Starts a 'gasnet_coll_broadcastM'; the handle is complete when that call would return.
 *
 * Does not wait; may run AM handlers; must not be called from a handler. With GASNET_COLL_AGGREGATE the returned
 * handle is not valid; the next call over the team by this thread without that flag ends the aggregate and returns
 * its handle.
 *
 * Source: GASNet collectives, "Broadcast".
 *
 * The caller sees to it that:
 * As 'gasnet_coll_broadcastM', until the handle is synchronised.
 */
gasnet_coll_handle_t gasnet_coll_broadcastM_nb(gasnet_team_handle_t team,
                                               void *const *dstlist,
                                               gasnet_image_t srcimage,
                                               void *src,
                                               size_t nbytes,
                                               int flags);

/**
 * Copies block 'i', of 'nbytes' bytes, of 'src' of image 'srcimage' to the address of image 'i' in 'dstlist'. 'src'
 * is used on 'srcimage' only; its blocks may already be at their destinations. Lists have an address for each
 * image of the calling rank, in the order of images; with GASNET_COLL_SINGLE for each image of the team.
 *
 * Blocks, and may run AM handlers; must not be called from a handler, nor between barrier notify and wait. Called
 * by all images of the team, in the same order as their other collectives. 'flags' has one of
 * GASNET_COLL_IN_{NO,MY,ALL}SYNC, one of GASNET_COLL_OUT_{NO,MY,ALL}SYNC, and GASNET_COLL_LOCAL or
 * GASNET_COLL_SINGLE.
 *
 * Source: GASNet collectives, "Scatter".
 *
 * The caller sees to it that:
 * Each address of 'dstlist' has 'nbytes' bytes, and on 'srcimage' 'src' the same number for each image, that no
 * other thread accesses, as the sync flags require. Lists have all their entries.
 */
void gasnet_coll_scatterM(gasnet_team_handle_t team,
                          void *const *dstlist,
                          gasnet_image_t srcimage,
                          void *src,
                          size_t nbytes,
                          int flags);

/**
 * Starts a 'gasnet_coll_scatterM'; the handle is complete when that call would return.
 *
 * Does not wait; may run AM handlers; must not be called from a handler. With GASNET_COLL_AGGREGATE the returned
 * handle is not valid; the next call over the team by this thread without that flag ends the aggregate and returns
 * its handle.
 *
 * Source: GASNet collectives, "Scatter".
 *
 * The caller sees to it that:
 * As 'gasnet_coll_scatterM', until the handle is synchronised.
 */
gasnet_coll_handle_t gasnet_coll_scatterM_nb(gasnet_team_handle_t team,
                                             void *const *dstlist,
                                             gasnet_image_t srcimage,
                                             void *src,
                                             size_t nbytes,
                                             int flags);

/**
 * Copies the 'nbytes' bytes at the address of image 'i' in 'srclist' to block 'i' of 'dst' of image 'dstimage'.
 * 'dst' is used on 'dstimage' only; its blocks may already be at their destinations. Lists have an address for
 * each image of the calling rank, in the order of images; with GASNET_COLL_SINGLE for each image of the team.
 *
 * Blocks, and may run AM handlers; must not be called from a handler, nor between barrier notify and wait. Called
 * by all images of the team, in the same order as their other collectives. 'flags' has one of
 * GASNET_COLL_IN_{NO,MY,ALL}SYNC, one of GASNET_COLL_OUT_{NO,MY,ALL}SYNC, and GASNET_COLL_LOCAL or
 * GASNET_COLL_SINGLE.
 *
 * Source: GASNet collectives, "Gather".
 *
 * The caller sees to it that:
 * Each address of 'srclist' has 'nbytes' bytes, and on 'dstimage' 'dst' the same number for each image, that no
 * other thread accesses, as the sync flags require. Lists have all their entries.
 */
void gasnet_coll_gatherM(gasnet_team_handle_t team,
                         gasnet_image_t dstimage,
                         void *dst,
                         void *const *srclist,
                         size_t nbytes,
                         int flags);

/**
 * Starts a 'gasnet_coll_gatherM'; the handle is complete when that call would return.
 *
 * Does not wait; may run AM handlers; must not be called from a handler. With GASNET_COLL_AGGREGATE the returned
 * handle is not valid; the next call over the team by this thread without that flag ends the aggregate and returns
 * its handle.
 *
 * Source: GASNet collectives, "Gather".
 *
 * The caller sees to it that:
 * As 'gasnet_coll_gatherM', until the handle is synchronised.
 */
gasnet_coll_handle_t gasnet_coll_gatherM_nb(gasnet_team_handle_t team,
                                            gasnet_image_t dstimage,
                                            void *dst,
                                            void *const *srclist,
                                            size_t nbytes,
                                            int flags);

/**
 * Copies the 'nbytes' bytes at the address of image 'i' in 'srclist' to block 'i' at each address of 'dstlist'. An
 * image's own block may already be at its destination. Lists have an address for each image of the calling rank,
 * in the order of images; with GASNET_COLL_SINGLE for each image of the team.
 *
 * Blocks, and may run AM handlers; must not be called from a handler, nor between barrier notify and wait. Called
 * by all images of the team, in the same order as their other collectives. 'flags' has one of
 * GASNET_COLL_IN_{NO,MY,ALL}SYNC, one of GASNET_COLL_OUT_{NO,MY,ALL}SYNC, and GASNET_COLL_LOCAL or
 * GASNET_COLL_SINGLE.
 *
 * Source: GASNet collectives, "Gather all".
 *
 * The caller sees to it that:
 * Each address of 'srclist' has 'nbytes' bytes, and each address of 'dstlist' the same number for each image, that
 * no other thread accesses, as the sync flags require. Lists have all their entries.
 */
void gasnet_coll_gather_allM(gasnet_team_handle_t team,
                             void *const *dstlist,
                             void *const *srclist,
                             size_t nbytes,
                             int flags);

/**
 * Starts a 'gasnet_coll_gather_allM'; the handle is complete when that call would return.
 *
 * Does not wait; may run AM handlers; must not be called from a handler. With GASNET_COLL_AGGREGATE the returned
 * handle is not valid; the next call over the team by this thread without that flag ends the aggregate and returns
 * its handle.
 *
 * Source: GASNet collectives, "Gather all".
 *
 * The caller sees to it that:
 * As 'gasnet_coll_gather_allM', until the handle is synchronised.
 */
gasnet_coll_handle_t gasnet_coll_gather_allM_nb(gasnet_team_handle_t team,
                                                void *const *dstlist,
                                                void *const *srclist,
                                                size_t nbytes,
                                                int flags);

/**
 * Copies block 'j', of 'nbytes' bytes, at the address of image 'i' in 'srclist' to block 'i' at that of image 'j' in
 * 'dstlist'. The two do not overlap. Lists have an address for each image of the calling rank, in the order of
 * images; with GASNET_COLL_SINGLE for each image of the team.
 *
 * Blocks, and may run AM handlers; must not be called from a handler, nor between barrier notify and wait. Called
 * by all images of the team, in the same order as their other collectives. 'flags' has one of
 * GASNET_COLL_IN_{NO,MY,ALL}SYNC, one of GASNET_COLL_OUT_{NO,MY,ALL}SYNC, and GASNET_COLL_LOCAL or
 * GASNET_COLL_SINGLE.
 *
 * Source: GASNet collectives, "Exchange".
 *
 * The caller sees to it that:
 * Each address of 'srclist' and 'dstlist' has 'nbytes' bytes for each image that no other thread accesses, as the
 * sync flags require. Lists have all their entries.
 */
void gasnet_coll_exchangeM(gasnet_team_handle_t team,
                           void *const *dstlist,
                           void *const *srclist,
                           size_t nbytes,
                           int flags);

/**
 * Starts a 'gasnet_coll_exchangeM'; the handle is complete when that call would return.
 *
 * Does not wait; may run AM handlers; must not be called from a handler. With GASNET_COLL_AGGREGATE the returned
 * handle is not valid; the next call over the team by this thread without that flag ends the aggregate and returns
 * its handle.
 *
 * Source: GASNet collectives, "Exchange".
 *
 * The caller sees to it that:
 * As 'gasnet_coll_exchangeM', until the handle is synchronised.
 */
gasnet_coll_handle_t gasnet_coll_exchangeM_nb(gasnet_team_handle_t team,
                                              void *const *dstlist,
                                              void *const *srclist,
                                              size_t nbytes,
                                              int flags);

/**
 * 'gasnet_barrier_notify' over 'team': called by one thread of each rank, or, with GASNET_BARRIERFLAG_IMAGES, by
 * each image; in this case each image also waits.
 */
void gasnet_coll_barrier_notify(gasnet_team_handle_t team,
                                int id,
                                int flags);

/**
 * 'gasnet_barrier_wait' over 'team'.
 */
int gasnet_coll_barrier_wait(gasnet_team_handle_t team, int id, int flags);

/**
 * 'gasnet_barrier_try' over 'team'.
 */
int gasnet_coll_barrier_try(gasnet_team_handle_t team, int id, int flags);

/**
 * 'gasnet_barrier' over 'team'.
 */
int gasnet_coll_barrier(gasnet_team_handle_t team, int id, int flags);

/**
 * 'gasnet_barrier_result' over 'team'.
 *
 * The caller sees to it that:
 * 'id' is writable.
 */
int gasnet_coll_barrier_result(gasnet_team_handle_t team, int *id);

/**
 * The number of ranks in 'team'.
 */
gasnet_node_t gasnet_coll_team_size(gasnet_team_handle_t team);

/**
 * The rank in the job of rank 'rank' of 'team'. Ends the job if 'rank' is out of range.
 */
gasnet_node_t gasnet_coll_team_rank2node(gasnet_team_handle_t team, int rank);

/**
 * The rank in 'team' of rank 'node' of the job. Ends the job if it is not a member.
 */
gasnet_node_t gasnet_coll_team_node2rank(gasnet_team_handle_t team, gasnet_node_t node);

/**
 * Splits 'parent' into teams by 'color', ordered by 'relrank', and returns the new team of this rank.
 *
 * Blocks until all members of 'parent' have called it, and may run AM handlers. If a rank has several images, each
 * of them calls it, with the same 'color' and 'relrank', and gets the same team, of which they are the images;
 * alternatively one thread that is not an image calls it. 'clientdata' may describe scratch memory, which is not
 * needed.
 *
 * Source: GASNet collectives, "Teams".
 */
gasnet_team_handle_t gasnet_coll_team_split(gasnet_team_handle_t parent,
                                            gasnet_node_t color,
                                            gasnet_node_t relrank,
                                            void *_clientdata);

/**
 * 'gasnet_coll_team_split' under the name that an early runtime uses.
 */
gasnet_team_handle_t gasnete_coll_team_split(gasnet_team_handle_t parent,
                                             gasnet_node_t color,
                                             gasnet_node_t relrank,
                                             void *clientdata);

/**
 * Destroys a team other than GASNET_TEAM_ALL. If a rank has several images, each of them calls it, or one thread
 * that is not an image.
 */
void gasnete_coll_team_free(gasnet_team_handle_t team);

/**
 * 'gasnet_coll_team_size' under the name that an early runtime uses.
 */
gasnet_node_t gasnete_coll_team_size(gasnet_team_handle_t team);

/**
 * 'gasnet_coll_team_rank2node' under the name that an early runtime uses.
 */
gasnet_node_t gasnete_coll_team_rank2node(gasnet_team_handle_t team, int rank);

/**
 * 'gasnet_coll_team_node2rank' under the name that an early runtime uses.
 */
gasnet_node_t gasnete_coll_team_node2rank(gasnet_team_handle_t team, gasnet_node_t node);

/**
 * The number of tree types that can be selected for 'optype': one.
 */
int gasnet_coll_get_num_tree_classes(gasnet_team_handle_t team, unsigned int _optype);

/**
 * A hint on the tree type for 'optype'. Has no effect.
 */
void gasnet_coll_set_tree_kind(gasnet_team_handle_t team, int _tree_type, int _fanout, unsigned int _optype);

/**
 * A hint on the size limit for dissemination in 'optype'. Has no effect.
 */
void gasnet_coll_set_dissem_limit(gasnet_team_handle_t team, size_t _dissemlimit, unsigned int _optype);

/**
 * Would write tuning data to 'filename'. Has no effect, since there are none.
 */
void gasnet_coll_dumpTuningState(char *_filename, gasnet_team_handle_t team);

/**
 * Would read tuning data from 'filename'. Has no effect.
 */
void gasnet_coll_loadTuningState(char *_filename, gasnet_team_handle_t team);

/**
 * Would write a profile of collectives to 'filename'. Has no effect, since there is none.
 */
void gasnet_coll_dumpProfile(char *_filename, gasnet_team_handle_t team);

/**
 * Stores the table of handlers that gasnett_run_diagnostics needs, for gasnet_attach, in '*htable', and the number
 * of its entries in '*htable_cnt'.
 *
 * The caller sees to it that:
 * Both pointers may be written.
 */
void gasnett_diagnostic_gethandlers(struct gasnet_handlerentry_t **htable,
                                    int *htable_cnt);

/**
 * The same table as entries of either interface, for the macro gasnett_diagnostic_gethandlers: 'entry_bytes' is the
 * size of the client's entries.
 *
 * The caller sees to it that:
 * Both pointers may be written; '*htable' is a table of gasnet_handlerentry_t, or of gex_AM_Entry_t.
 */
void gasneti_diagnostic_gethandlers(void **htable,
                                    int *htable_cnt,
                                    size_t entry_bytes);

/**
 * Tests the library inside this job, 'iters' rounds of each section on 'threadcnt' threads (one, unless the client
 * is compiled for PAR). Every rank calls with the same arguments, after attach with the handlers of
 * gasnett_diagnostic_gethandlers; the contents of segments are overwritten.
 *
 * Returns the number of errors found on this rank, each printed as a line that begins with ERROR.
 *
 * The caller sees to it that:
 * 'testsections' is NULL (all) or a string of the letters of the sections to run; 'seginfo' has an entry per rank,
 * as filled by gasnet_getSegmentInfo.
 */
int gasnett_run_diagnostics(int iters,
                            int threadcnt,
                            const char *testsections,
                            const struct gasnet_seginfo_t *seginfo);

/**
 * gasnett_run_diagnostics for GASNet-EX programs: takes the primordial team and the addresses of the segments of
 * this process and of rank 'peer' instead of the table of segments.
 *
 * The caller sees to it that:
 * 'testsections' is NULL (all) or a string of the letters of the sections to run.
 */
int gasneti_run_diagnostics_ex(int iters,
                               int threadcnt,
                               const char *testsections,
                               gex_TM_t team,
                               void *_myseg,
                               gex_Rank_t peer,
                               void *_peerseg,
                               unsigned int _seed);

/**
 * Creates an endpoint of 'client' with 'capabilities' (GEX_EP_CAPABILITY_*, at least one). Not collective. The
 * endpoint has no segment and is not a member of any team. 'flags': GEX_FLAG_HINT_ACCEL_*, hints without effect.
 *
 * Returns GASNET_OK, GASNET_ERR_BAD_ARG, or GASNET_ERR_RESOURCE if GASNET_MAXEPS endpoints exist; '*ep_p' is
 * written on success only.
 *
 * Source: GASNet-EX 0.19, "gex_EP_Create"; GASNet-EX memory kinds, 2.
 *
 * The caller sees to it that:
 * 'ep_p' may be written.
 */
int gex_EP_Create(gex_EP_t *ep_p,
                  gex_Client_t client,
                  gex_EP_Capabilities_t capabilities,
                  gex_Flags_t flags);

/**
 * Attaches 'val' to an endpoint, for gex_EP_QueryCData. Legal in handlers.
 *
 * Source: GASNet-EX 0.19, "Client-Data (CData)".
 */
void gex_EP_SetCData(gex_EP_t ep, const void *val);

/**
 * Returns the value that gex_EP_SetCData attached; NULL initially. Legal in handlers.
 *
 * Source: GASNet-EX 0.19, "Client-Data (CData)".
 */
void *gex_EP_QueryCData(gex_EP_t ep);

/**
 * Returns the client of an endpoint. Legal in handlers.
 *
 * Source: GASNet-EX 0.19, "Operations on gex_EP_t".
 */
gex_Client_t gex_EP_QueryClient(gex_EP_t ep);

/**
 * Returns the flags with which an endpoint was created. Legal in handlers.
 *
 * Source: GASNet-EX 0.19, "Operations on gex_EP_t".
 */
gex_Flags_t gex_EP_QueryFlags(gex_EP_t ep);

/**
 * Returns the segment bound to an endpoint, or GEX_SEGMENT_INVALID. Legal in handlers.
 *
 * Source: GASNet-EX 0.19, "Operations on gex_EP_t".
 */
gex_Segment_t gex_EP_QuerySegment(gex_EP_t ep);

/**
 * Returns the index of an endpoint in its process; 0 is the primordial endpoint. Legal in handlers.
 *
 * Source: GASNet-EX 0.19, "Operations on gex_EP_t".
 */
gex_EP_Index_t gex_EP_QueryIndex(gex_EP_t ep);

/**
 * Returns the value of a variable of the job's environment, the same on every rank, or NULL if it is not set.
 *
 * The string must not be changed. 'name' is looked up unchanged; escapes that a launcher added to the value are
 * decoded.
 *
 * Source: GASNet 1.8, "gasnet_getenv".
 *
 * The caller sees to it that:
 * 'name' is a string.
 */
char *gasnet_getenv(const char *name);

/**
 * Waits until the operation of 'handle' is complete, and releases the handle.
 *
 * Blocks, and may run AM handlers; must not be called from a handler. GASNET_INVALID_HANDLE counts as complete.
 * Debug clients: ends the job if the handle is invalid, was synchronised before, or belongs to another thread.
 *
 * Source: GASNet 1.8, "Synchronization for explicit-handle non-blocking operations".
 */
void gasnet_wait_syncnb(gasnet_handle_t handle);

/**
 * Tests whether the operation of 'handle' is complete; if so, releases the handle.
 *
 * Polls once, and may run AM handlers; must not be called from a handler.
 *
 * Returns GASNET_OK or GASNET_ERR_NOT_READY. Debug clients: as 'gasnet_wait_syncnb'.
 *
 * Source: GASNet 1.8, "Synchronization for explicit-handle non-blocking operations".
 */
int gasnet_try_syncnb(gasnet_handle_t handle);

/**
 * Tests whether the operation of 'handle' is complete; if so, releases the handle.
 *
 * Does not poll: only completions that other calls have processed are seen. An extension.
 *
 * Returns GASNET_OK or GASNET_ERR_NOT_READY. Debug clients: as 'gasnet_wait_syncnb'.
 *
 * Source: GASNet 1.8, "Synchronization for explicit-handle non-blocking operations".
 */
int gasnet_try_syncnb_nopoll(gasnet_handle_t handle);

/**
 * Waits until all valid handles of the list are complete.
 *
 * Complete entries are released and overwritten by GASNET_INVALID_HANDLE; invalid ones are ignored. Blocks, and
 * may run AM handlers; must not be called from a handler. Debug clients: as 'gasnet_wait_syncnb'.
 *
 * Source: GASNet 1.8, "Synchronization for explicit-handle non-blocking operations".
 *
 * The caller sees to it that:
 * 'handles' has 'numhandles' handles that no other thread accesses until this call returns.
 */
void gasnet_wait_syncnb_all(gasnet_handle_t *handles,
                            size_t numhandles);

/**
 * Whether all valid handles of the list are complete.
 *
 * Complete entries are released and overwritten by GASNET_INVALID_HANDLE; invalid ones are ignored.
 * Polls once, and may run AM handlers; must not be called from a handler.
 *
 * Returns GASNET_OK or GASNET_ERR_NOT_READY. Debug clients: as 'gasnet_wait_syncnb'.
 *
 * Source: GASNet 1.8, "Synchronization for explicit-handle non-blocking operations".
 *
 * The caller sees to it that:
 * 'handles' has 'numhandles' handles that no other thread accesses until this call returns.
 */
int gasnet_try_syncnb_all(gasnet_handle_t *handles, size_t numhandles);

/**
 * Whether all valid handles of the list are complete.
 *
 * Complete entries are released and overwritten by GASNET_INVALID_HANDLE; invalid ones are ignored.
 * Does not poll: only completions that other calls have processed are seen. An extension.
 *
 * Returns GASNET_OK or GASNET_ERR_NOT_READY. Debug clients: as 'gasnet_wait_syncnb'.
 *
 * Source: GASNet 1.8, "Synchronization for explicit-handle non-blocking operations".
 *
 * The caller sees to it that:
 * 'handles' has 'numhandles' handles that no other thread accesses until this call returns.
 */
int gasnet_try_syncnb_all_nopoll(gasnet_handle_t *handles, size_t numhandles);

/**
 * Waits until at least one valid handle of the list is complete; a list with none is complete.
 *
 * Complete entries are released and overwritten by GASNET_INVALID_HANDLE; invalid ones are ignored. Blocks, and
 * may run AM handlers; must not be called from a handler. Debug clients: as 'gasnet_wait_syncnb'.
 *
 * Source: GASNet 1.8, "Synchronization for explicit-handle non-blocking operations".
 *
 * The caller sees to it that:
 * 'handles' has 'numhandles' handles that no other thread accesses until this call returns.
 */
void gasnet_wait_syncnb_some(gasnet_handle_t *handles,
                             size_t numhandles);

/**
 * Whether at least one valid handle of the list is complete; a list with none is complete.
 *
 * Complete entries are released and overwritten by GASNET_INVALID_HANDLE; invalid ones are ignored.
 * Polls once, and may run AM handlers; must not be called from a handler.
 *
 * Returns GASNET_OK or GASNET_ERR_NOT_READY. Debug clients: as 'gasnet_wait_syncnb'.
 *
 * Source: GASNet 1.8, "Synchronization for explicit-handle non-blocking operations".
 *
 * The caller sees to it that:
 * 'handles' has 'numhandles' handles that no other thread accesses until this call returns.
 */
int gasnet_try_syncnb_some(gasnet_handle_t *handles, size_t numhandles);

/**
 * Whether at least one valid handle of the list is complete; a list with none is complete.
 *
 * Complete entries are released and overwritten by GASNET_INVALID_HANDLE; invalid ones are ignored.
 * Does not poll: only completions that other calls have processed are seen. An extension.
 *
 * Returns GASNET_OK or GASNET_ERR_NOT_READY. Debug clients: as 'gasnet_wait_syncnb'.
 *
 * Source: GASNet 1.8, "Synchronization for explicit-handle non-blocking operations".
 *
 * The caller sees to it that:
 * 'handles' has 'numhandles' handles that no other thread accesses until this call returns.
 */
int gasnet_try_syncnb_some_nopoll(gasnet_handle_t *handles, size_t numhandles);

/**
 * Waits until all implicit-handle puts, value puts and memsets of this thread are complete.
 *
 * Blocks, and may run AM handlers; must not be called from a handler, nor inside an access region.
 *
 * Source: GASNet 1.8, "Synchronization for implicit-handle non-blocking operations".
 */
void gasnet_wait_syncnbi_puts(void);

/**
 * Whether all implicit-handle puts, value puts and memsets of this thread are complete.
 *
 * Polls once, and may run AM handlers; must not be called from a handler, nor inside an access region.
 *
 * Returns GASNET_OK, or GASNET_ERR_NOT_READY, in which case no operation is synchronised.
 *
 * Source: GASNet 1.8, "Synchronization for implicit-handle non-blocking operations".
 */
int gasnet_try_syncnbi_puts(void);

/**
 * Waits until all implicit-handle gets of this thread are complete.
 *
 * Blocks, and may run AM handlers; must not be called from a handler, nor inside an access region.
 *
 * Source: GASNet 1.8, "Synchronization for implicit-handle non-blocking operations".
 */
void gasnet_wait_syncnbi_gets(void);

/**
 * Whether all implicit-handle gets of this thread are complete.
 *
 * Polls once, and may run AM handlers; must not be called from a handler, nor inside an access region.
 *
 * Returns GASNET_OK, or GASNET_ERR_NOT_READY, in which case no operation is synchronised.
 *
 * Source: GASNet 1.8, "Synchronization for implicit-handle non-blocking operations".
 */
int gasnet_try_syncnbi_gets(void);

/**
 * Waits until all implicit-handle operations of this thread are complete.
 *
 * Blocks, and may run AM handlers; must not be called from a handler, nor inside an access region.
 *
 * Source: GASNet 1.8, "Synchronization for implicit-handle non-blocking operations".
 */
void gasnet_wait_syncnbi_all(void);

/**
 * Whether all implicit-handle operations of this thread are complete.
 *
 * Polls once, and may run AM handlers; must not be called from a handler, nor inside an access region.
 *
 * Returns GASNET_OK, or GASNET_ERR_NOT_READY, in which case no operation is synchronised.
 *
 * Source: GASNet 1.8, "Synchronization for implicit-handle non-blocking operations".
 */
int gasnet_try_syncnbi_all(void);

/**
 * Begins an access region: implicit-handle operations of this thread belong to it until
 * 'gasnet_end_nbi_accessregion'. Regions do not nest, and implicit operations must not be synchronised inside.
 *
 * Ends the job if a region is open.
 *
 * Source: GASNet 1.8, "Implicit access region synchronization".
 */
void gasnet_begin_nbi_accessregion(void);

/**
 * Ends the access region.
 *
 * Returns a handle for all operations that were started in the region, to be synchronised like any other handle;
 * GASNET_INVALID_HANDLE if all of them are complete. Ends the job if no region is open.
 *
 * Source: GASNet 1.8, "Implicit access region synchronization".
 */
gasnet_handle_t gasnet_end_nbi_accessregion(void);

/**
 * Waits until the value get of 'handle' is complete, and releases the handle.
 *
 * Blocks, and may run AM handlers; must not be called from a handler.
 *
 * Returns the value, zero-extended. Debug clients: as 'gasnet_wait_syncnb'.
 *
 * Source: GASNet 1.8, "Non-Blocking Value Get (explicit-handle)".
 */
gasnet_register_value_t gasnet_wait_syncnb_valget(gasnet_valget_handle_t handle);

/**
 * Tests whether the root or leaf event 'event' is complete; a complete root is released with all its leaves.
 *
 * Does not poll: only completions that other calls have processed are seen. Any thread may test an event. Must not
 * be called from a handler. A leaf may be tested again until its root is released.
 *
 * Returns 0 if complete (GEX_EVENT_INVALID counts as complete), else GASNET_ERR_NOT_READY. Ends the job if it is
 * GEX_EVENT_NO_OP; debug clients: also if it is not an event, or was released before.
 *
 * Source: GASNet-EX 0.19, "Event test/wait operations".
 */
int gex_Event_Test(gex_Event_t event);

/**
 * Waits until the root or leaf event 'event' is complete; a root is then released with all its leaves.
 *
 * Polls, and may run AM handlers; must not be called from a handler. Any thread may wait for an event. Ends the
 * job as gex_Event_Test does.
 *
 * Source: GASNet-EX 0.19, "Event test/wait operations".
 */
void gex_Event_Wait(gex_Event_t event);

/**
 * Tests whether at least one event of the list is complete; also true if the list contains only GEX_EVENT_INVALID.
 *
 * Complete events are released and overwritten by GEX_EVENT_INVALID. The list may contain leaves together with
 * their roots, in any order. Does not poll. 'flags' is 0.
 *
 * Returns 0 or GASNET_ERR_NOT_READY. Ends the job as gex_Event_Test does.
 *
 * Source: GASNet-EX 0.19, "Event test/wait operations".
 *
 * The caller sees to it that:
 * 'pevent' has 'numevents' events that no other thread accesses until this call returns.
 */
int gex_Event_TestSome(gex_Event_t *pevent,
                       size_t numevents,
                       gex_Flags_t flags);

/**
 * Waits until at least one event of the list is complete; returns at once if the list contains only
 * GEX_EVENT_INVALID.
 *
 * Complete events are released and overwritten by GEX_EVENT_INVALID. The list may contain leaves together with
 * their roots, in any order. Polls, and may run AM handlers; must not be called from a handler. 'flags' is 0. Ends
 * the job as gex_Event_Test does.
 *
 * Source: GASNet-EX 0.19, "Event test/wait operations".
 *
 * The caller sees to it that:
 * 'pevent' has 'numevents' events that no other thread accesses until this call returns.
 */
void gex_Event_WaitSome(gex_Event_t *pevent,
                        size_t numevents,
                        gex_Flags_t flags);

/**
 * Tests whether all events of the list are complete; GEX_EVENT_INVALID counts as complete.
 *
 * Complete events are released and overwritten by GEX_EVENT_INVALID, even if other events are not complete. The
 * list may contain leaves together with their roots, in any order. Does not poll. 'flags' is 0.
 *
 * Returns 0 or GASNET_ERR_NOT_READY. Ends the job as gex_Event_Test does.
 *
 * Source: GASNet-EX 0.19, "Event test/wait operations".
 *
 * The caller sees to it that:
 * 'pevent' has 'numevents' events that no other thread accesses until this call returns.
 */
int gex_Event_TestAll(gex_Event_t *pevent,
                      size_t numevents,
                      gex_Flags_t flags);

/**
 * Waits until all events of the list are complete; GEX_EVENT_INVALID counts as complete.
 *
 * They are released and overwritten by GEX_EVENT_INVALID. The list may contain leaves together with their roots,
 * in any order. Polls, and may run AM handlers; must not be called from a handler. 'flags' is 0. Ends the job as
 * gex_Event_Test does.
 *
 * Source: GASNet-EX 0.19, "Event test/wait operations".
 *
 * The caller sees to it that:
 * 'pevent' has 'numevents' events that no other thread accesses until this call returns.
 */
void gex_Event_WaitAll(gex_Event_t *pevent,
                       size_t numevents,
                       gex_Flags_t flags);

/**
 * Returns the leaf event of 'root' for one category, such as GEX_EC_LC; always the same event. It is complete when
 * that part of the operation is complete, and is released with the root.
 *
 * 'root' was returned by a call with suffix NB in which local completion was requested, or by
 * gex_NBI_EndAccessRegion, whose event has a leaf for each category.
 *
 * Returns GEX_EVENT_INVALID if 'root' is GEX_EVENT_INVALID. Debug clients: ends the job if 'root' is not a root
 * event or has no such leaf.
 *
 * Source: GASNet-EX 0.19, "gex_Event_QueryLeaf".
 */
gex_Event_t gex_Event_QueryLeaf(gex_Event_t root,
                                gex_EC_t event_category);

/**
 * Tests whether all implicit operations of this thread in the categories of 'event_mask', a bitwise or of
 * GEX_EC_*, are complete.
 *
 * Does not poll. Must not be called from a handler, nor inside an access region. 'flags' is 0.
 *
 * Returns 0 or GASNET_ERR_NOT_READY.
 *
 * Source: GASNet-EX 0.19, "Event test/wait operations".
 */
int gex_NBI_Test(gex_EC_t event_mask, gex_Flags_t flags);

/**
 * Waits until all implicit operations of this thread in the categories of 'event_mask', a bitwise or of GEX_EC_*,
 * are complete.
 *
 * Polls until then, and may run AM handlers; must not be called from a handler, nor inside an access region.
 * 'flags' is 0.
 *
 * Source: GASNet-EX 0.19, "Event test/wait operations".
 */
void gex_NBI_Wait(gex_EC_t event_mask,
                  gex_Flags_t flags);

/**
 * Begins an access region: implicit operations of this thread belong to it until gex_NBI_EndAccessRegion. Regions
 * do not nest, and implicit operations must not be synchronised inside. 'flags' is 0.
 *
 * Equivalent to gasnet_begin_nbi_accessregion. Ends the job if a region is open.
 *
 * Source: GASNet-EX 0.19, "NBI Access regions".
 */
void gex_NBI_BeginAccessRegion(gex_Flags_t flags);

/**
 * Ends the access region. 'flags' is 0.
 *
 * Returns a root event for all operations that were started in the region, with a leaf for each category;
 * GEX_EVENT_INVALID if all of them are complete. Ends the job if no region is open.
 *
 * Source: GASNet-EX 0.19, "NBI Access regions".
 */
gex_Event_t gex_NBI_EndAccessRegion(gex_Flags_t flags);

/**
 * Ends all ranks of the job, with exit code 'exitcode'.
 *
 * Not collective: any rank and any thread may call it at any time after gasnet_init, also from AM handlers, from
 * signal handlers regardless of the interrupted code, and from functions that run at exit. stdio streams are
 * flushed; functions registered with atexit are not run. With a nonzero code, ranks that do not leave by
 * themselves get SIGQUIT, and are killed after GASNET_EXITTIMEOUT seconds. With code 0, a rank that computes may
 * continue for up to GASNET_EXITTIMEOUT_KILL seconds; any other rank gets SIGQUIT after GASNET_EXITTIMEOUT
 * seconds, and a line on stderr names it. If several ranks or threads call it, the job has one of their codes; if
 * a late rank fails, the code is nonzero. Does not return.
 *
 * With code 0 in a signal handler, over ucx and ofi, puts and messages of this rank that are in flight may be lost: the
 * call does not wait for them, as the signal may have interrupted the network's library.
 *
 * Source: GASNet 1.8, "gasnet_exit".
 */
void gasnet_exit(int exitcode) GASNETI_NORETURN;

/**
 * Initialises a lock. Called once per lock, and not for locks initialised by GASNET_HSL_INITIALIZER.
 *
 * Source: GASNet 1.8, "Handler-Safe Locks".
 *
 * The caller sees to it that:
 * 'lock' may be written and no thread uses it yet.
 */
void gasnet_hsl_init(struct gasnet_hsl_t *lock);

/**
 * Destroys a lock, which must be unlocked.
 *
 * Source: GASNet 1.8, "Handler-Safe Locks".
 *
 * The caller sees to it that:
 * 'lock' is initialised and no thread uses it any more.
 */
void gasnet_hsl_destroy(struct gasnet_hsl_t *lock);

/**
 * Acquires a lock; waits while another thread holds it. Legal in handlers. Not recursive.
 *
 * Source: GASNet 1.8, "Handler-Safe Locks".
 *
 * The caller sees to it that:
 * 'lock' is initialised.
 */
void gasnet_hsl_lock(struct gasnet_hsl_t *lock);

/**
 * Acquires a lock if it is free: returns GASNET_OK, else GASNET_ERR_NOT_READY. Handlers must not spin on it.
 *
 * Source: GASNet 1.8, "Handler-Safe Locks".
 *
 * The caller sees to it that:
 * 'lock' is initialised.
 */
int gasnet_hsl_trylock(struct gasnet_hsl_t *lock);

/**
 * Releases a lock that this thread holds; locks are released in reverse order.
 *
 * Source: GASNet 1.8, "Handler-Safe Locks".
 *
 * The caller sees to it that:
 * 'lock' is held by this thread.
 */
void gasnet_hsl_unlock(struct gasnet_hsl_t *lock);

/**
 * Initialises a lock. Called once per lock, and not for locks initialised by GEX_HSL_INITIALIZER.
 *
 * Source: GASNet-EX 0.19, "Handler-Safe Locks".
 *
 * The caller sees to it that:
 * 'lock' may be written and no thread uses it yet.
 */
void gex_HSL_Init(gex_HSL_t *lock);

/**
 * Destroys a lock, which must be unlocked.
 *
 * Source: GASNet-EX 0.19, "Handler-Safe Locks".
 *
 * The caller sees to it that:
 * 'lock' is initialised and no thread uses it any more.
 */
void gex_HSL_Destroy(gex_HSL_t *lock);

/**
 * Acquires a lock; waits while another thread holds it. Legal in handlers. Not recursive.
 *
 * Source: GASNet-EX 0.19, "Handler-Safe Locks".
 *
 * The caller sees to it that:
 * 'lock' is initialised.
 */
void gex_HSL_Lock(gex_HSL_t *lock);

/**
 * Acquires a lock if it is free: returns GASNET_OK, else GASNET_ERR_NOT_READY. Handlers must not spin on it.
 *
 * Source: GASNet-EX 0.19, "Handler-Safe Locks".
 *
 * The caller sees to it that:
 * 'lock' is initialised.
 */
int gex_HSL_Trylock(gex_HSL_t *lock);

/**
 * Releases a lock that this thread holds; locks are released in reverse order.
 *
 * Source: GASNet-EX 0.19, "Handler-Safe Locks".
 *
 * The caller sees to it that:
 * 'lock' is held by this thread.
 */
void gex_HSL_Unlock(gex_HSL_t *lock);

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
 * The function that the macro gasnet_init calls: starts the job of a client whose translation units have the
 * records from 'first' to 'last'. Returns GASNET_OK, or GASNET_ERR_NOT_INIT at a second call.
 *
 * The caller sees to it that:
 * 'first..last' is the client's 'gasneti_client' section (both may be null). 'argc' and 'argv' are main's or null.
 */
int gasneti_init(int *argc,
                 char ***argv,
                 const struct gasneti_client_record_t *first,
                 const struct gasneti_client_record_t *last);

/**
 * Starts the job. In the headers gasnet_init is a macro, which passes the modes of the client's translation units to
 * the library; this symbol is for callers that were not compiled with them: their modes are PAR and release.
 *
 * The first GASNet call of a program; the number of processes may change during the call. '%0XX' in the arguments
 * is decoded to the byte with that hexadecimal code, unless GASNET_DISABLE_ARGDECODE is set. Returns GASNET_OK, or
 * GASNET_ERR_NOT_INIT at a second call.
 *
 * Source: GASNet 1.8, "gasnet_init".
 *
 * The caller sees to it that:
 * 'argc' and 'argv' are main's or null.
 */
int gasnet_init(int *argc,
                char ***argv);

/**
 * The function that the macro gex_Client_Init calls; see gex_Client_Init. 'first' to 'last' are the records of the
 * client's translation units.
 *
 * The caller sees to it that:
 * As gex_Client_Init; 'first..last' is the client's 'gasneti_client' section (both may be null).
 */
int gasneti_Client_Init(gex_Client_t *client_p,
                        gex_EP_t *ep_p,
                        gex_TM_t *tm_p,
                        const char *client_name,
                        int *argc,
                        char ***argv,
                        gex_Flags_t flags,
                        const struct gasneti_client_record_t *first,
                        const struct gasneti_client_record_t *last);

/**
 * Starts the job for a client named 'clientName' ([A-Z][A-Z0-9_]+; any text is accepted), and returns its client
 * object, its primordial endpoint (index 0) and the primordial team of all processes. Must be the first GASNet
 * call of the program, and is called once; has the effect of a barrier.
 *
 * 'flags': GEX_FLAG_USES_GASNET1 (GASNet-1 calls are allowed, too), GEX_FLAG_DEFER_THREADS. 'argc' and 'argv' are
 * main's, or both NULL in all processes; '%0XX' in the arguments is decoded to the byte with that hexadecimal
 * code, unless GASNET_DISABLE_ARGDECODE is set. Returns GASNET_OK, GASNET_ERR_NOT_INIT at a second call, or
 * GASNET_ERR_BAD_ARG. In the headers gex_Client_Init is a macro; this symbol is for callers that were not compiled
 * with them.
 *
 * Source: GASNet-EX 0.19, "gex_Client_Init".
 *
 * The caller sees to it that:
 * The outputs may be written, or are null; 'clientName' is a C string; 'argc' and 'argv' are main's or null.
 */
int gex_Client_Init(gex_Client_t *client_p,
                    gex_EP_t *ep_p,
                    gex_TM_t *tm_p,
                    const char *client_name,
                    int *argc,
                    char ***argv,
                    gex_Flags_t flags);

/**
 * Returns the objects of a job with GASNet-1 calls, which were created by gasnet_init and gasnet_attach, or by
 * gex_Client_Init with GEX_FLAG_USES_GASNET1 and gex_Segment_Attach. Each output may be NULL; '*segment_p' becomes
 * GEX_SEGMENT_INVALID if there is no segment. Legal in handlers.
 *
 * Source: GASNet-EX 0.19, "Hybrid/transitional client support".
 *
 * The caller sees to it that:
 * Each output may be written, or is null.
 */
void gasnet_QueryGexObjects(gex_Client_t *client_p,
                            gex_EP_t *endpoint_p,
                            gex_TM_t *tm_p,
                            gex_Segment_t *segment_p);

/**
 * Creates a memory kind, which describes the memory of one device.
 *
 * Not collective. There are no device kinds in this version: GASNET_HAVE_MK_CLASS_CUDA_UVA, _HIP and _ZE are not
 * defined. A line on stderr names the missing part, unless it was disabled by gex_System_SetVerboseErrors.
 *
 * Returns GASNET_ERR_BAD_ARG; '*kind_p' is not changed.
 *
 * Source: GASNet-EX API: Memory Kinds, 2025.8.0.
 *
 * The caller sees to it that:
 * 'args' is readable or NULL.
 */
int gex_MK_Create(gex_MK_t *kind_p,
                  gex_Client_t client,
                  const struct gex_MK_Create_args_t *args,
                  gex_Flags_t flags);

/**
 * Destroys a memory kind that was created by gex_MK_Create. Ends the job for any other kind, including
 * GEX_MK_HOST.
 *
 * Source: GASNet-EX API: Memory Kinds, 2025.8.0.
 */
void gex_MK_Destroy(gex_MK_t kind, gex_Flags_t _flags);

/**
 * Returns the client of the kind; GEX_CLIENT_INVALID for GEX_MK_HOST, which belongs to no client.
 *
 * Source: GASNet-EX API: Memory Kinds, 2025.8.0.
 */
gex_Client_t gex_MK_QueryClient(gex_MK_t mk);

/**
 * The class of the kind.
 *
 * Source: GASNet-EX API: Memory Kinds, 2025.8.0.
 */
enum gex_MK_Class_t gex_MK_QueryClass(gex_MK_t mk);

/**
 * The flags that the kind was created with.
 *
 * Source: GASNet-EX API: Memory Kinds, 2025.8.0.
 */
gex_Flags_t gex_MK_QueryFlags(gex_MK_t mk);

/**
 * Attaches a pointer of the client to the kind.
 *
 * Source: GASNet-EX API: Memory Kinds, 2025.8.0.
 */
void gex_MK_SetCData(gex_MK_t mk, const void *val);

/**
 * Returns the pointer that the client attached to the kind; NULL if none was set.
 *
 * Source: GASNet-EX API: Memory Kinds, 2025.8.0.
 */
void *gex_MK_QueryCData(gex_MK_t mk);

/**
 * Creates an atomic domain on the endpoints of 'tm': one type, and the operations allowed on it.
 *
 * Collective over 'tm', with equal arguments; no barrier. 'dt' is one GEX_DT_* other than GEX_DT_USER, 'ops' one or
 * more GEX_OP_* that the type has: arithmetic and accessors for all, bitwise ones for integers. 'flags' may have one of
 * GEX_FLAG_AD_FAVOR_{MY_RANK,MY_NBRHD,REMOTE}, which are hints, without effect here.
 *
 * The handle is written to 'ad_p'. Ends the job if the type does not support one of the operations.
 *
 * Source: GASNet-EX 0.19, "Atomic Domains".
 *
 * The caller sees to it that:
 * 'ad_p' is writable; 'tm' is live, and stays so until the domain is destroyed.
 */
void gex_AD_Create(gex_AD_t *ad_p,
                   gex_TM_t tm,
                   gex_DT_t dt,
                   gex_OP_t ops,
                   gex_Flags_t flags);

/**
 * Destroys an atomic domain. All its operations on all ranks must be complete.
 *
 * Collective over its team; no barrier.
 *
 * Source: GASNet-EX 0.19, "Atomic Domains".
 */
void gex_AD_Destroy(gex_AD_t ad);

/**
 * The flags that the domain was created with.
 *
 * Source: GASNet-EX 0.19, "Atomic Domains".
 */
gex_Flags_t gex_AD_QueryFlags(gex_AD_t ad);

/**
 * The team that the domain was created on.
 *
 * Source: GASNet-EX 0.19, "Atomic Domains".
 */
gex_TM_t gex_AD_QueryTM(gex_AD_t ad);

/**
 * The type that the domain was created for.
 *
 * Source: GASNet-EX 0.19, "Atomic Domains".
 */
gex_DT_t gex_AD_QueryDT(gex_AD_t ad);

/**
 * The operations that the domain was created for.
 *
 * Source: GASNet-EX 0.19, "Atomic Domains".
 */
gex_OP_t gex_AD_QueryOps(gex_AD_t ad);

/**
 * Attaches a pointer of the client to the domain.
 *
 * Source: GASNet-EX 0.19, "Atomic Domains".
 */
void gex_AD_SetCData(gex_AD_t ad, const void *val);

/**
 * The pointer that the client attached to the domain; NULL if none was set.
 *
 * Source: GASNet-EX 0.19, "Atomic Domains".
 */
void *gex_AD_QueryCData(gex_AD_t ad);

/**
 * Starts 'opcode' on the int32_t at 'tgt_addr' on 'tgt_rank' of the team of 'ad', atomically with respect to all
 * operations of all atomic domains.
 *
 * Fetching operations store the previous value in '*result_p', which must not be read before the event is
 * synchronised; other operations ignore 'result_p'. 'operand1' and 'operand2' are ignored by operations that have
 * fewer operands. 'flags': GEX_FLAG_AD_REL, GEX_FLAG_AD_ACQ, GEX_FLAG_RANK_IS_JOBRANK, GEX_FLAG_AD_MY_RANK or
 * GEX_FLAG_AD_MY_NBRHD, GEX_FLAG_IMMEDIATE.
 *
 * Returns an event; GEX_EVENT_INVALID if the operation is already complete.
 * Ends the job if 'ad' does not have this type or operation, 'tgt_addr' is not aligned, or 'tgt_rank' is out of
 * range. Debug clients: also if 'tgt_addr' is outside the target's segment.
 *
 * Source: GASNet-EX 0.19, "Remote Atomic Operations".
 *
 * The caller sees to it that:
 * 'tgt_addr' lies in the bound segment of the target; 'result_p' has room for a number until the event is synchronised.
 */
gex_Event_t gex_AD_OpNB_I32(gex_AD_t ad,
                            int32_t *result_p,
                            gex_Rank_t tgt_rank,
                            void *tgt_addr,
                            gex_OP_t opcode,
                            int32_t operand1,
                            int32_t operand2,
                            gex_Flags_t flags);

/**
 * Starts 'opcode' on the int32_t at 'tgt_addr' on 'tgt_rank' of the team of 'ad'; as gex_AD_OpNB_I32, but implicit.
 *
 * Synchronised by gex_NBI_Test or gex_NBI_Wait with GEX_EC_PUT for GEX_OP_SET, GEX_EC_GET for GEX_OP_GET,
 * and GEX_EC_RMW for all others.
 *
 * Returns 0; nonzero only with GEX_FLAG_IMMEDIATE if it could not start.
 *
 * Source: GASNet-EX 0.19, "Remote Atomic Operations".
 *
 * The caller sees to it that:
 * 'tgt_addr' lies in the bound segment of the target; 'result_p' has room for a number until the operation is
 * synchronised.
 */
int gex_AD_OpNBI_I32(gex_AD_t ad,
                     int32_t *result_p,
                     gex_Rank_t tgt_rank,
                     void *tgt_addr,
                     gex_OP_t opcode,
                     int32_t operand1,
                     int32_t operand2,
                     gex_Flags_t flags);

/**
 * Starts 'opcode' on the uint32_t at 'tgt_addr' on 'tgt_rank' of the team of 'ad', atomically with respect to all
 * operations of all atomic domains.
 *
 * Fetching operations store the previous value in '*result_p', which must not be read before the event is
 * synchronised; other operations ignore 'result_p'. 'operand1' and 'operand2' are ignored by operations that have
 * fewer operands. 'flags': GEX_FLAG_AD_REL, GEX_FLAG_AD_ACQ, GEX_FLAG_RANK_IS_JOBRANK, GEX_FLAG_AD_MY_RANK or
 * GEX_FLAG_AD_MY_NBRHD, GEX_FLAG_IMMEDIATE.
 *
 * Returns an event; GEX_EVENT_INVALID if the operation is already complete.
 * Ends the job if 'ad' does not have this type or operation, 'tgt_addr' is not aligned, or 'tgt_rank' is out of
 * range. Debug clients: also if 'tgt_addr' is outside the target's segment.
 *
 * Source: GASNet-EX 0.19, "Remote Atomic Operations".
 *
 * The caller sees to it that:
 * 'tgt_addr' lies in the bound segment of the target; 'result_p' has room for a number until the event is synchronised.
 */
gex_Event_t gex_AD_OpNB_U32(gex_AD_t ad,
                            uint32_t *result_p,
                            gex_Rank_t tgt_rank,
                            void *tgt_addr,
                            gex_OP_t opcode,
                            uint32_t operand1,
                            uint32_t operand2,
                            gex_Flags_t flags);

/**
 * Starts 'opcode' on the uint32_t at 'tgt_addr' on 'tgt_rank' of the team of 'ad'; as gex_AD_OpNB_U32, but implicit.
 *
 * Synchronised by gex_NBI_Test or gex_NBI_Wait with GEX_EC_PUT for GEX_OP_SET, GEX_EC_GET for GEX_OP_GET,
 * and GEX_EC_RMW for all others.
 *
 * Returns 0; nonzero only with GEX_FLAG_IMMEDIATE if it could not start.
 *
 * Source: GASNet-EX 0.19, "Remote Atomic Operations".
 *
 * The caller sees to it that:
 * 'tgt_addr' lies in the bound segment of the target; 'result_p' has room for a number until the operation is
 * synchronised.
 */
int gex_AD_OpNBI_U32(gex_AD_t ad,
                     uint32_t *result_p,
                     gex_Rank_t tgt_rank,
                     void *tgt_addr,
                     gex_OP_t opcode,
                     uint32_t operand1,
                     uint32_t operand2,
                     gex_Flags_t flags);

/**
 * Starts 'opcode' on the int64_t at 'tgt_addr' on 'tgt_rank' of the team of 'ad', atomically with respect to all
 * operations of all atomic domains.
 *
 * Fetching operations store the previous value in '*result_p', which must not be read before the event is
 * synchronised; other operations ignore 'result_p'. 'operand1' and 'operand2' are ignored by operations that have
 * fewer operands. 'flags': GEX_FLAG_AD_REL, GEX_FLAG_AD_ACQ, GEX_FLAG_RANK_IS_JOBRANK, GEX_FLAG_AD_MY_RANK or
 * GEX_FLAG_AD_MY_NBRHD, GEX_FLAG_IMMEDIATE.
 *
 * Returns an event; GEX_EVENT_INVALID if the operation is already complete.
 * Ends the job if 'ad' does not have this type or operation, 'tgt_addr' is not aligned, or 'tgt_rank' is out of
 * range. Debug clients: also if 'tgt_addr' is outside the target's segment.
 *
 * Source: GASNet-EX 0.19, "Remote Atomic Operations".
 *
 * The caller sees to it that:
 * 'tgt_addr' lies in the bound segment of the target; 'result_p' has room for a number until the event is synchronised.
 */
gex_Event_t gex_AD_OpNB_I64(gex_AD_t ad,
                            int64_t *result_p,
                            gex_Rank_t tgt_rank,
                            void *tgt_addr,
                            gex_OP_t opcode,
                            int64_t operand1,
                            int64_t operand2,
                            gex_Flags_t flags);

/**
 * Starts 'opcode' on the int64_t at 'tgt_addr' on 'tgt_rank' of the team of 'ad'; as gex_AD_OpNB_I64, but implicit.
 *
 * Synchronised by gex_NBI_Test or gex_NBI_Wait with GEX_EC_PUT for GEX_OP_SET, GEX_EC_GET for GEX_OP_GET,
 * and GEX_EC_RMW for all others.
 *
 * Returns 0; nonzero only with GEX_FLAG_IMMEDIATE if it could not start.
 *
 * Source: GASNet-EX 0.19, "Remote Atomic Operations".
 *
 * The caller sees to it that:
 * 'tgt_addr' lies in the bound segment of the target; 'result_p' has room for a number until the operation is
 * synchronised.
 */
int gex_AD_OpNBI_I64(gex_AD_t ad,
                     int64_t *result_p,
                     gex_Rank_t tgt_rank,
                     void *tgt_addr,
                     gex_OP_t opcode,
                     int64_t operand1,
                     int64_t operand2,
                     gex_Flags_t flags);

/**
 * Starts 'opcode' on the uint64_t at 'tgt_addr' on 'tgt_rank' of the team of 'ad', atomically with respect to all
 * operations of all atomic domains.
 *
 * Fetching operations store the previous value in '*result_p', which must not be read before the event is
 * synchronised; other operations ignore 'result_p'. 'operand1' and 'operand2' are ignored by operations that have
 * fewer operands. 'flags': GEX_FLAG_AD_REL, GEX_FLAG_AD_ACQ, GEX_FLAG_RANK_IS_JOBRANK, GEX_FLAG_AD_MY_RANK or
 * GEX_FLAG_AD_MY_NBRHD, GEX_FLAG_IMMEDIATE.
 *
 * Returns an event; GEX_EVENT_INVALID if the operation is already complete.
 * Ends the job if 'ad' does not have this type or operation, 'tgt_addr' is not aligned, or 'tgt_rank' is out of
 * range. Debug clients: also if 'tgt_addr' is outside the target's segment.
 *
 * Source: GASNet-EX 0.19, "Remote Atomic Operations".
 *
 * The caller sees to it that:
 * 'tgt_addr' lies in the bound segment of the target; 'result_p' has room for a number until the event is synchronised.
 */
gex_Event_t gex_AD_OpNB_U64(gex_AD_t ad,
                            uint64_t *result_p,
                            gex_Rank_t tgt_rank,
                            void *tgt_addr,
                            gex_OP_t opcode,
                            uint64_t operand1,
                            uint64_t operand2,
                            gex_Flags_t flags);

/**
 * Starts 'opcode' on the uint64_t at 'tgt_addr' on 'tgt_rank' of the team of 'ad'; as gex_AD_OpNB_U64, but implicit.
 *
 * Synchronised by gex_NBI_Test or gex_NBI_Wait with GEX_EC_PUT for GEX_OP_SET, GEX_EC_GET for GEX_OP_GET,
 * and GEX_EC_RMW for all others.
 *
 * Returns 0; nonzero only with GEX_FLAG_IMMEDIATE if it could not start.
 *
 * Source: GASNet-EX 0.19, "Remote Atomic Operations".
 *
 * The caller sees to it that:
 * 'tgt_addr' lies in the bound segment of the target; 'result_p' has room for a number until the operation is
 * synchronised.
 */
int gex_AD_OpNBI_U64(gex_AD_t ad,
                     uint64_t *result_p,
                     gex_Rank_t tgt_rank,
                     void *tgt_addr,
                     gex_OP_t opcode,
                     uint64_t operand1,
                     uint64_t operand2,
                     gex_Flags_t flags);

/**
 * Starts 'opcode' on the float at 'tgt_addr' on 'tgt_rank' of the team of 'ad', atomically with respect to all
 * operations of all atomic domains.
 *
 * Fetching operations store the previous value in '*result_p', which must not be read before the event is
 * synchronised; other operations ignore 'result_p'. 'operand1' and 'operand2' are ignored by operations that have
 * fewer operands. 'flags': GEX_FLAG_AD_REL, GEX_FLAG_AD_ACQ, GEX_FLAG_RANK_IS_JOBRANK, GEX_FLAG_AD_MY_RANK or
 * GEX_FLAG_AD_MY_NBRHD, GEX_FLAG_IMMEDIATE.
 *
 * Returns an event; GEX_EVENT_INVALID if the operation is already complete.
 * Ends the job if 'ad' does not have this type or operation, 'tgt_addr' is not aligned, or 'tgt_rank' is out of
 * range. Debug clients: also if 'tgt_addr' is outside the target's segment.
 *
 * Source: GASNet-EX 0.19, "Remote Atomic Operations".
 *
 * The caller sees to it that:
 * 'tgt_addr' lies in the bound segment of the target; 'result_p' has room for a number until the event is synchronised.
 */
gex_Event_t gex_AD_OpNB_FLT(gex_AD_t ad,
                            float *result_p,
                            gex_Rank_t tgt_rank,
                            void *tgt_addr,
                            gex_OP_t opcode,
                            float operand1,
                            float operand2,
                            gex_Flags_t flags);

/**
 * Starts 'opcode' on the float at 'tgt_addr' on 'tgt_rank' of the team of 'ad'; as gex_AD_OpNB_FLT, but implicit.
 *
 * Synchronised by gex_NBI_Test or gex_NBI_Wait with GEX_EC_PUT for GEX_OP_SET, GEX_EC_GET for GEX_OP_GET,
 * and GEX_EC_RMW for all others.
 *
 * Returns 0; nonzero only with GEX_FLAG_IMMEDIATE if it could not start.
 *
 * Source: GASNet-EX 0.19, "Remote Atomic Operations".
 *
 * The caller sees to it that:
 * 'tgt_addr' lies in the bound segment of the target; 'result_p' has room for a number until the operation is
 * synchronised.
 */
int gex_AD_OpNBI_FLT(gex_AD_t ad,
                     float *result_p,
                     gex_Rank_t tgt_rank,
                     void *tgt_addr,
                     gex_OP_t opcode,
                     float operand1,
                     float operand2,
                     gex_Flags_t flags);

/**
 * Starts 'opcode' on the double at 'tgt_addr' on 'tgt_rank' of the team of 'ad', atomically with respect to all
 * operations of all atomic domains.
 *
 * Fetching operations store the previous value in '*result_p', which must not be read before the event is
 * synchronised; other operations ignore 'result_p'. 'operand1' and 'operand2' are ignored by operations that have
 * fewer operands. 'flags': GEX_FLAG_AD_REL, GEX_FLAG_AD_ACQ, GEX_FLAG_RANK_IS_JOBRANK, GEX_FLAG_AD_MY_RANK or
 * GEX_FLAG_AD_MY_NBRHD, GEX_FLAG_IMMEDIATE.
 *
 * Returns an event; GEX_EVENT_INVALID if the operation is already complete.
 * Ends the job if 'ad' does not have this type or operation, 'tgt_addr' is not aligned, or 'tgt_rank' is out of
 * range. Debug clients: also if 'tgt_addr' is outside the target's segment.
 *
 * Source: GASNet-EX 0.19, "Remote Atomic Operations".
 *
 * The caller sees to it that:
 * 'tgt_addr' lies in the bound segment of the target; 'result_p' has room for a number until the event is synchronised.
 */
gex_Event_t gex_AD_OpNB_DBL(gex_AD_t ad,
                            double *result_p,
                            gex_Rank_t tgt_rank,
                            void *tgt_addr,
                            gex_OP_t opcode,
                            double operand1,
                            double operand2,
                            gex_Flags_t flags);

/**
 * Starts 'opcode' on the double at 'tgt_addr' on 'tgt_rank' of the team of 'ad'; as gex_AD_OpNB_DBL, but implicit.
 *
 * Synchronised by gex_NBI_Test or gex_NBI_Wait with GEX_EC_PUT for GEX_OP_SET, GEX_EC_GET for GEX_OP_GET,
 * and GEX_EC_RMW for all others.
 *
 * Returns 0; nonzero only with GEX_FLAG_IMMEDIATE if it could not start.
 *
 * Source: GASNet-EX 0.19, "Remote Atomic Operations".
 *
 * The caller sees to it that:
 * 'tgt_addr' lies in the bound segment of the target; 'result_p' has room for a number until the operation is
 * synchronised.
 */
int gex_AD_OpNBI_DBL(gex_AD_t ad,
                     double *result_p,
                     gex_Rank_t tgt_rank,
                     void *tgt_addr,
                     gex_OP_t opcode,
                     double operand1,
                     double operand2,
                     gex_Flags_t flags);

/**
 * Copies 'nbytes' bytes from 'src' here to 'dest' on 'node', and waits; both aligned for an object of 'nbytes'.
 *
 * On return 'src' may be reused and the target sees the bytes. Blocks, and may run AM handlers; must not be called
 * from a handler. If 'nbytes' is 0, the call has no effect. Debug clients: ends the job if 'dest' is outside the
 * target's segment.
 *
 * Source: GASNet 1.8, "Blocking memory-to-memory transfers".
 *
 * The caller sees to it that:
 * 'src' has 'nbytes' readable bytes that no thread writes until return; 'dest' lies in 'node''s segment.
 */
void gasnet_put(gasnet_node_t node,
                void *dest,
                void *src,
                size_t nbytes);

/**
 * Copies 'nbytes' bytes from 'src' on 'node' to 'dest' here, and waits; both aligned for an object of 'nbytes'.
 *
 * Blocks, and may run AM handlers; must not be called from a handler. If 'nbytes' is 0, the call has no effect.
 * Debug clients: ends the job if 'src' is outside the target's segment.
 *
 * Source: GASNet 1.8, "Blocking memory-to-memory transfers".
 *
 * The caller sees to it that:
 * 'dest' has 'nbytes' writable bytes that no other thread or operation accesses until return; 'src' lies in
 * 'node''s segment.
 */
void gasnet_get(void *dest,
                gasnet_node_t node,
                void *src,
                size_t nbytes);

/**
 * Copies 'nbytes' bytes from 'src' here to 'dest' on 'node', and waits; any alignment.
 *
 * On return 'src' may be reused and the target sees the bytes. Blocks, and may run AM handlers; must not be called
 * from a handler. If 'nbytes' is 0, the call has no effect. Debug clients: ends the job if 'dest' is outside the
 * target's segment.
 *
 * Source: GASNet 1.8, "Blocking memory-to-memory transfers".
 *
 * The caller sees to it that:
 * 'src' has 'nbytes' readable bytes that no thread writes until return; 'dest' lies in 'node''s segment.
 */
void gasnet_put_bulk(gasnet_node_t node,
                     void *dest,
                     void *src,
                     size_t nbytes);

/**
 * Copies 'nbytes' bytes from 'src' on 'node' to 'dest' here, and waits; any alignment.
 *
 * Blocks, and may run AM handlers; must not be called from a handler. If 'nbytes' is 0, the call has no effect.
 * Debug clients: ends the job if 'src' is outside the target's segment.
 *
 * Source: GASNet 1.8, "Blocking memory-to-memory transfers".
 *
 * The caller sees to it that:
 * 'dest' has 'nbytes' writable bytes that no other thread or operation accesses until return; 'src' lies in
 * 'node''s segment.
 */
void gasnet_get_bulk(void *dest,
                     gasnet_node_t node,
                     void *src,
                     size_t nbytes);

/**
 * Starts to copy 'nbytes' bytes from 'src' here to 'dest' on 'node'; both aligned for an object of 'nbytes'.
 *
 * On return 'src' may be reused. The target sees the bytes once the handle is synchronised.
 *
 * Returns a handle, to be synchronised once by this thread; GASNET_INVALID_HANDLE if already complete.
 * Debug clients: ends the job if 'dest' is outside the target's segment.
 *
 * Source: GASNet 1.8, "Non-blocking transfers (explicit handle)".
 *
 * The caller sees to it that:
 * 'src' has 'nbytes' readable bytes that no thread writes until return; 'dest' lies in 'node''s segment.
 */
gasnet_handle_t gasnet_put_nb(gasnet_node_t node, void *dest, void *src, size_t nbytes);

/**
 * Starts to copy 'nbytes' bytes from 'src' on 'node' to 'dest' here; both aligned for an object of 'nbytes'.
 *
 * 'dest' is undefined until the handle is synchronised.
 *
 * Returns a handle, to be synchronised once by this thread; GASNET_INVALID_HANDLE if already complete.
 * Debug clients: ends the job if 'src' is outside the target's segment.
 *
 * Source: GASNet 1.8, "Non-blocking transfers (explicit handle)".
 *
 * The caller sees to it that:
 * 'dest' has 'nbytes' writable bytes that no other thread or operation accesses until synchronised; 'src' lies in
 * 'node''s segment.
 */
gasnet_handle_t gasnet_get_nb(void *dest,
                              gasnet_node_t node,
                              void *src,
                              size_t nbytes);

/**
 * Starts to copy 'nbytes' bytes from 'src' here to 'dest' on 'node'; any alignment.
 *
 * 'src' must not be changed until the handle is synchronised. The target sees the bytes once the handle is
 * synchronised.
 *
 * Returns a handle, to be synchronised once by this thread; GASNET_INVALID_HANDLE if already complete.
 * Debug clients: ends the job if 'dest' is outside the target's segment.
 *
 * Source: GASNet 1.8, "Non-blocking transfers (explicit handle)".
 *
 * The caller sees to it that:
 * 'src' has 'nbytes' readable bytes that no thread writes until synchronised; 'dest' lies in 'node''s segment.
 */
gasnet_handle_t gasnet_put_nb_bulk(gasnet_node_t node,
                                   void *dest,
                                   void *src,
                                   size_t nbytes);

/**
 * Starts to copy 'nbytes' bytes from 'src' on 'node' to 'dest' here; any alignment.
 *
 * 'dest' is undefined until the handle is synchronised.
 *
 * Returns a handle, to be synchronised once by this thread; GASNET_INVALID_HANDLE if already complete.
 * Debug clients: ends the job if 'src' is outside the target's segment.
 *
 * Source: GASNet 1.8, "Non-blocking transfers (explicit handle)".
 *
 * The caller sees to it that:
 * 'dest' has 'nbytes' writable bytes that no other thread or operation accesses until synchronised; 'src' lies in
 * 'node''s segment.
 */
gasnet_handle_t gasnet_get_nb_bulk(void *dest,
                                   gasnet_node_t node,
                                   void *src,
                                   size_t nbytes);

/**
 * Starts to copy 'nbytes' bytes from 'src' here to 'dest' on 'node', without a handle; both aligned for an object of 'nbytes'.
 *
 * On return 'src' may be reused. The target sees the bytes once the thread's
 * implicit puts, or the access region that is open now, are synchronised.
 * Debug clients: ends the job if 'dest' is outside the target's segment.
 *
 * Source: GASNet 1.8, "Non-blocking transfers (implicit handle)".
 *
 * The caller sees to it that:
 * 'src' has 'nbytes' readable bytes that no thread writes until return; 'dest' lies in 'node''s segment.
 */
void gasnet_put_nbi(gasnet_node_t node,
                    void *dest,
                    void *src,
                    size_t nbytes);

/**
 * Starts to copy 'nbytes' bytes from 'src' on 'node' to 'dest' here, without a handle; both aligned for an object of 'nbytes'.
 *
 * 'dest' is undefined until the thread's implicit gets, or the access region that is open now, are synchronised.
 * Debug clients: ends the job if 'src' is outside the target's segment.
 *
 * Source: GASNet 1.8, "Non-blocking transfers (implicit handle)".
 *
 * The caller sees to it that:
 * 'dest' has 'nbytes' writable bytes that no other thread or operation accesses until synchronised; 'src' lies in
 * 'node''s segment.
 */
void gasnet_get_nbi(void *dest,
                    gasnet_node_t node,
                    void *src,
                    size_t nbytes);

/**
 * Starts to copy 'nbytes' bytes from 'src' here to 'dest' on 'node', without a handle; any alignment.
 *
 * 'src' must not be changed until the thread's implicit puts are synchronised. The target sees the bytes once the
 * thread's implicit puts, or the access region that is open now, are synchronised. Debug clients: ends the job if
 * 'dest' is outside the target's segment.
 *
 * Source: GASNet 1.8, "Non-blocking transfers (implicit handle)".
 *
 * The caller sees to it that:
 * 'src' has 'nbytes' readable bytes that no thread writes until synchronised; 'dest' lies in 'node''s segment.
 */
void gasnet_put_nbi_bulk(gasnet_node_t node,
                         void *dest,
                         void *src,
                         size_t nbytes);

/**
 * Starts to copy 'nbytes' bytes from 'src' on 'node' to 'dest' here, without a handle; any alignment.
 *
 * 'dest' is undefined until the thread's implicit gets, or the access region that is open now, are synchronised.
 * Debug clients: ends the job if 'src' is outside the target's segment.
 *
 * Source: GASNet 1.8, "Non-blocking transfers (implicit handle)".
 *
 * The caller sees to it that:
 * 'dest' has 'nbytes' writable bytes that no other thread or operation accesses until synchronised; 'src' lies in
 * 'node''s segment.
 */
void gasnet_get_nbi_bulk(void *dest,
                         gasnet_node_t node,
                         void *src,
                         size_t nbytes);

/**
 * Sets 'nbytes' bytes at 'dest' on 'node' to the low byte of 'val', and waits.
 *
 * Blocks, and may run AM handlers; must not be called from a handler.
 * Debug clients: ends the job if 'dest' is outside the target's segment.
 *
 * Source: GASNet 1.8, "Blocking memory-to-memory transfers".
 *
 * The caller sees to it that:
 * 'dest..dest + nbytes' lies in 'node''s segment.
 */
void gasnet_memset(gasnet_node_t node, void *dest, int val, size_t nbytes);

/**
 * Starts to set 'nbytes' bytes at 'dest' on 'node' to the low byte of 'val'.
 *
 * Returns a handle, to be synchronised once by this thread; GASNET_INVALID_HANDLE if already complete.
 * Debug clients: ends the job if 'dest' is outside the target's segment.
 *
 * Source: GASNet 1.8, "Non-blocking transfers (explicit handle)".
 *
 * The caller sees to it that:
 * 'dest..dest + nbytes' lies in 'node''s segment.
 */
gasnet_handle_t gasnet_memset_nb(gasnet_node_t node, void *dest, int val, size_t nbytes);

/**
 * Starts to set 'nbytes' bytes at 'dest' on 'node' to the low byte of 'val', without a handle.
 *
 * Synchronised like an implicit put.
 * Debug clients: ends the job if 'dest' is outside the target's segment.
 *
 * Source: GASNet 1.8, "Non-blocking transfers (implicit handle)".
 *
 * The caller sees to it that:
 * 'dest..dest + nbytes' lies in 'node''s segment.
 */
void gasnet_memset_nbi(gasnet_node_t node, void *dest, int val, size_t nbytes);

/**
 * Writes the low 'nbytes' bytes of 'value' to 'dest' on 'node', and waits.
 *
 * 'nbytes' is 1 to SIZEOF_GASNET_REGISTER_VALUE_T; 'dest' is aligned for it. Blocks, and may run AM handlers; must
 * not be called from a handler. Ends the job if 'nbytes' is out of range; debug clients: if 'dest' is outside the
 * target's segment.
 *
 * Source: GASNet 1.8, "Value Put".
 *
 * The caller sees to it that:
 * 'dest..dest + nbytes' lies in 'node''s segment.
 */
void gasnet_put_val(gasnet_node_t node,
                    void *dest,
                    gasnet_register_value_t value,
                    size_t nbytes);

/**
 * Starts to write the low 'nbytes' bytes of 'value' to 'dest' on 'node'.
 *
 * 'nbytes' is 1 to SIZEOF_GASNET_REGISTER_VALUE_T; 'dest' is aligned for it. Returns a handle, to be synchronised once by this thread; GASNET_INVALID_HANDLE if already complete.
 * Ends the job if 'nbytes' is out of range; debug clients: if 'dest' is outside the target's segment.
 *
 * Source: GASNet 1.8, "Value Put".
 *
 * The caller sees to it that:
 * 'dest..dest + nbytes' lies in 'node''s segment.
 */
gasnet_handle_t gasnet_put_nb_val(gasnet_node_t node,
                                  void *dest,
                                  gasnet_register_value_t value,
                                  size_t nbytes);

/**
 * Starts to write the low 'nbytes' bytes of 'value' to 'dest' on 'node', without a handle.
 *
 * 'nbytes' is 1 to SIZEOF_GASNET_REGISTER_VALUE_T; 'dest' is aligned for it. Synchronised like any implicit put.
 * Ends the job if 'nbytes' is out of range; debug clients: if 'dest' is outside the target's segment.
 *
 * Source: GASNet 1.8, "Value Put".
 *
 * The caller sees to it that:
 * 'dest..dest + nbytes' lies in 'node''s segment.
 */
void gasnet_put_nbi_val(gasnet_node_t node,
                        void *dest,
                        gasnet_register_value_t value,
                        size_t nbytes);

/**
 * Returns the 'nbytes' bytes at 'src' on 'node', zero-extended.
 *
 * 'nbytes' is 1 to SIZEOF_GASNET_REGISTER_VALUE_T; 'src' is aligned for it. Blocks, and may run AM handlers; must
 * not be called from a handler. Ends the job if 'nbytes' is out of range; debug clients: if 'src' is outside the
 * target's segment.
 *
 * Source: GASNet 1.8, "Blocking Value Get".
 *
 * The caller sees to it that:
 * 'src..src + nbytes' lies in 'node''s segment.
 */
gasnet_register_value_t gasnet_get_val(gasnet_node_t node,
                                       void *src,
                                       size_t nbytes);

/**
 * Starts to get the 'nbytes' bytes at 'src' on 'node'.
 *
 * 'nbytes' is 1 to SIZEOF_GASNET_REGISTER_VALUE_T; 'src' is aligned for it.
 *
 * Returns a handle to be passed once, by this thread, to 'gasnet_wait_syncnb_valget', which returns the value;
 * there is no invalid handle of this type. Ends the job if 'nbytes' is out of range; debug clients: if 'src' is
 * outside the target's segment.
 *
 * Source: GASNet 1.8, "Non-Blocking Value Get (explicit-handle)".
 *
 * The caller sees to it that:
 * 'src..src + nbytes' lies in 'node''s segment.
 */
gasnet_valget_handle_t gasnet_get_nb_val(gasnet_node_t node,
                                         void *src,
                                         size_t nbytes);

/**
 * Copies 'nbytes' bytes from 'src' here to 'dest' in the segment bound to 'rank' of 'tm', and waits.
 *
 * On return 'src' may be reused and the target sees the bytes. Blocks, and may run AM handlers; must not be called
 * from a handler. If 'nbytes' is 0, the call has no effect.
 *
 * Returns 0; 1 only with GEX_FLAG_IMMEDIATE, if resources were exhausted and the operation was not started. Ends
 * the job if 'tm' is not a team or 'rank' is not below its size; debug clients: if 'dest' is outside the target's
 * bound segment, or an assertion in 'flags' is wrong.
 *
 * Source: GASNet-EX 0.19, "Extended API", Put.
 *
 * The caller sees to it that:
 * 'src' has 'nbytes' readable bytes that no thread writes until return.
 */
int gex_RMA_PutBlocking(gex_TM_t tm,
                        gex_Rank_t rank,
                        void *dest,
                        const void *src,
                        size_t nbytes,
                        gex_Flags_t flags);

/**
 * Starts to copy 'nbytes' bytes from 'src' here to 'dest' in the segment bound to 'rank' of 'tm'.
 *
 * 'lc_opt' determines when 'src' may be reused: GEX_EVENT_NOW, on return; GEX_EVENT_DEFER, once the event is
 * synchronised; otherwise it points to an event that is set to a leaf of the returned event; this leaf is complete
 * when 'src' may be reused. The target sees the bytes once the event is synchronised. May run AM handlers; must
 * not be called from one.
 *
 * Returns the event, to be synchronised once, by any thread; GEX_EVENT_INVALID if it is already complete;
 * GEX_EVENT_NO_OP only with GEX_FLAG_IMMEDIATE, if resources were exhausted and the operation was not started.
 * Ends the job as gex_RMA_PutBlocking does, and if 'lc_opt' is NULL or GEX_EVENT_GROUP.
 *
 * Source: GASNet-EX 0.19, "Extended API", Put.
 *
 * The caller sees to it that:
 * 'src' has 'nbytes' readable bytes that no thread writes before local completion; 'lc_opt' may be written.
 */
gex_Event_t gex_RMA_PutNB(gex_TM_t tm,
                          gex_Rank_t rank,
                          void *dest,
                          const void *src,
                          size_t nbytes,
                          gex_Event_t *lc_opt,
                          gex_Flags_t flags);

/**
 * Starts to copy 'nbytes' bytes from 'src' here to 'dest' in the segment bound to 'rank' of 'tm', without an event.
 *
 * 'lc_opt' determines when 'src' may be reused: GEX_EVENT_NOW, on return; GEX_EVENT_DEFER, once the put is
 * synchronised; GEX_EVENT_GROUP, once the thread's implicit operations of category GEX_EC_LC are. The target sees
 * the bytes once those of category GEX_EC_PUT, or the access region that is open now, are synchronised. May run AM
 * handlers; must not be called from one.
 *
 * Returns 0; 1 only with GEX_FLAG_IMMEDIATE, if resources were exhausted and the operation was not started. Ends
 * the job as gex_RMA_PutBlocking does, and also if 'lc_opt' is not one of these three values.
 *
 * Source: GASNet-EX 0.19, "Extended API", Put.
 *
 * The caller sees to it that:
 * 'src' has 'nbytes' readable bytes that no thread writes before local completion.
 */
int gex_RMA_PutNBI(gex_TM_t tm,
                   gex_Rank_t rank,
                   void *dest,
                   const void *src,
                   size_t nbytes,
                   gex_Event_t *lc_opt,
                   gex_Flags_t flags);

/**
 * Copies 'nbytes' bytes from 'src' in the segment bound to 'rank' of 'tm' to 'dest' here, and waits.
 *
 * Blocks, and may run AM handlers; must not be called from a handler. If 'nbytes' is 0, the call has no effect.
 *
 * Returns and ends the job as gex_RMA_PutBlocking does.
 *
 * Source: GASNet-EX 0.19, "Extended API", Get.
 *
 * The caller sees to it that:
 * 'dest' has 'nbytes' writable bytes that no other thread or operation accesses until return.
 */
int gex_RMA_GetBlocking(gex_TM_t tm,
                        void *dest,
                        gex_Rank_t rank,
                        void *src,
                        size_t nbytes,
                        gex_Flags_t flags);

/**
 * Starts to copy 'nbytes' bytes from 'src' in the segment bound to 'rank' of 'tm' to 'dest' here.
 *
 * 'dest' is undefined until the event is synchronised. May run AM handlers; must not be called from one.
 *
 * Returns the event, to be synchronised once, by any thread; GEX_EVENT_INVALID if it is already complete;
 * GEX_EVENT_NO_OP only with GEX_FLAG_IMMEDIATE, if resources were exhausted and the operation was not started.
 * Ends the job as gex_RMA_PutBlocking does.
 *
 * Source: GASNet-EX 0.19, "Extended API", Get.
 *
 * The caller sees to it that:
 * 'dest' has 'nbytes' writable bytes that no other thread or operation accesses until synchronised.
 */
gex_Event_t gex_RMA_GetNB(gex_TM_t tm,
                          void *dest,
                          gex_Rank_t rank,
                          void *src,
                          size_t nbytes,
                          gex_Flags_t flags);

/**
 * Starts to copy 'nbytes' bytes from 'src' in the segment bound to 'rank' of 'tm' to 'dest' here, without an event.
 *
 * 'dest' is undefined until the thread's implicit operations of category GEX_EC_GET, or the access region that is open
 * now, are synchronised. May run AM handlers; must not be called from one.
 *
 * Returns and ends the job as gex_RMA_PutBlocking does.
 *
 * Source: GASNet-EX 0.19, "Extended API", Get.
 *
 * The caller sees to it that:
 * 'dest' has 'nbytes' writable bytes that no other thread or operation accesses until synchronised.
 */
int gex_RMA_GetNBI(gex_TM_t tm,
                   void *dest,
                   gex_Rank_t rank,
                   void *src,
                   size_t nbytes,
                   gex_Flags_t flags);

/**
 * Copies the low 'nbytes' (1 to 8) bytes of 'value' to 'dest' in the segment bound to 'rank' of 'tm', and waits.
 *
 * Blocks, and may run AM handlers; must not be called from a handler. 'dest' may have any alignment.
 *
 * Returns and ends the job as gex_RMA_PutBlocking does, and also ends the job if 'nbytes' is not 1 to 8.
 *
 * Source: GASNet-EX 0.19, "Extended API", Value-based payloads.
 */
int gex_RMA_PutBlockingVal(gex_TM_t tm,
                           gex_Rank_t rank,
                           void *dest,
                           gex_RMA_Value_t value,
                           size_t nbytes,
                           gex_Flags_t flags);

/**
 * Starts to copy the low 'nbytes' (1 to 8) bytes of 'value' to 'dest' in the segment bound to 'rank' of 'tm'.
 *
 * The target sees the bytes once the event is synchronised. May run AM handlers; must not be called from one.
 *
 * Returns as gex_RMA_GetNB does; ends the job as gex_RMA_PutBlockingVal does.
 *
 * Source: GASNet-EX 0.19, "Extended API", Value-based payloads.
 */
gex_Event_t gex_RMA_PutNBVal(gex_TM_t tm,
                             gex_Rank_t rank,
                             void *dest,
                             gex_RMA_Value_t value,
                             size_t nbytes,
                             gex_Flags_t flags);

/**
 * Starts to copy the low 'nbytes' (1 to 8) bytes of 'value' to 'dest' in the segment bound to 'rank' of 'tm', without
 * an event.
 *
 * The target sees the bytes once the thread's implicit operations of category GEX_EC_PUT, or the access region that is
 * open now, are synchronised. May run AM handlers; must not be called from one.
 *
 * Returns and ends the job as gex_RMA_PutBlockingVal does.
 *
 * Source: GASNet-EX 0.19, "Extended API", Value-based payloads.
 */
int gex_RMA_PutNBIVal(gex_TM_t tm,
                      gex_Rank_t rank,
                      void *dest,
                      gex_RMA_Value_t value,
                      size_t nbytes,
                      gex_Flags_t flags);

/**
 * Returns the 'nbytes' (1 to 8) bytes at 'src' in the segment bound to 'rank' of 'tm', zero-extended.
 *
 * Blocks, and may run AM handlers; must not be called from a handler. 'src' may have any alignment.
 * GEX_FLAG_IMMEDIATE is not allowed.
 *
 * Ends the job as gex_RMA_PutBlockingVal does.
 *
 * Source: GASNet-EX 0.19, "Extended API", Value-based payloads.
 */
gex_RMA_Value_t gex_RMA_GetBlockingVal(gex_TM_t tm,
                                       gex_Rank_t rank,
                                       void *src,
                                       size_t nbytes,
                                       gex_Flags_t flags);

/**
 * Creates a segment of 'size' bytes, binds it to the primordial endpoint, and publishes it to all processes.
 * Collective over 'tm', the primordial team, with the effect of a barrier; at most once.
 *
 * 'size' is a multiple of GASNET_PAGESIZE, not 0, at most gasnet_getMaxLocalSegmentSize(), and may differ between
 * processes. In clients compiled with GASNET_SEGMENT_EVERYTHING the call is only a barrier, and '*segment_p'
 * becomes GEX_SEGMENT_INVALID. Returns GASNET_OK, GASNET_ERR_BAD_ARG, or GASNET_ERR_NOT_INIT at a second call.
 *
 * Source: GASNet-EX 0.19, "gex_Segment_Attach".
 *
 * The caller sees to it that:
 * 'segment_p' may be written.
 */
int gex_Segment_Attach(gex_Segment_t *segment_p,
                       gex_TM_t tm,
                       size_t size);

/**
 * Creates a segment of 'length' bytes of memory of 'kind': at 'address', or, if that is NULL, in memory that the
 * library allocates. In the latter case the length is rounded up to pages, and processes that share memory map the
 * segment. Not collective.
 *
 * Returns GASNET_OK, GASNET_ERR_BAD_ARG (a length of 0, a range that exceeds the address space, an unknown kind),
 * or GASNET_ERR_RESOURCE; '*segment_p' is written on success only.
 *
 * Source: GASNet-EX memory kinds, "gex_Segment_Create".
 *
 * The caller sees to it that:
 * 'segment_p' may be written; 'address', if not NULL, has 'length' bytes of the client that remain valid until the
 * segment is destroyed.
 */
int gex_Segment_Create(gex_Segment_t *segment_p,
                       gex_Client_t client,
                       gex_Addr_t address,
                       size_t length,
                       gex_MK_t kind,
                       gex_Flags_t flags);

/**
 * Destroys a segment that was created by gex_Segment_Create; no process may communicate with it any more. Ends the
 * job if the segment was attached, or is invalid.
 *
 * Source: GASNet-EX memory kinds, "gex_Segment_Destroy".
 */
void gex_Segment_Destroy(gex_Segment_t segment,
                         gex_Flags_t _flags);

/**
 * Binds 'segment' to 'ep'; allowed once per endpoint. This process can access the segment from now on, other
 * processes once it is published. Returns GASNET_OK, or GASNET_ERR_BAD_ARG if one of them is invalid, 'ep' has a
 * segment, or 'flags' is not 0.
 *
 * Source: GASNet-EX memory kinds, "gex_EP_BindSegment".
 */
int gex_EP_BindSegment(gex_EP_t ep,
                       gex_Segment_t segment,
                       gex_Flags_t flags);

/**
 * Publishes the segments bound to the 'num_eps' endpoints 'eps' of this process to all members of 'tm', and
 * receives those of the other members: on return this process can access them through any team. Collective over
 * 'tm'; each member passes its own endpoints, or none. Returns GASNET_OK or GASNET_ERR_BAD_ARG.
 *
 * Source: GASNet-EX 0.19, "gex_EP_PublishBoundSegment".
 *
 * The caller sees to it that:
 * 'eps' has 'num_eps' endpoints.
 */
int gex_EP_PublishBoundSegment(gex_TM_t tm,
                               gex_EP_t *eps,
                               size_t num_eps,
                               gex_Flags_t flags);

/**
 * Queries the segment of rank 'rank' of 'tm': its address at its owner, its local address (NULL if it is not
 * mapped here), and its size; the size is 0 if there is no segment, or if it was not published to this process.
 * With GASNET_SEGMENT_EVERYTHING the segment of a primordial endpoint is the one that was bound to it, or else, once attached,
 * all memory: address NULL, size with all bits set. Each output may be NULL.
 *
 * Returns GEX_EVENT_INVALID, because the outputs are written before the call returns. With GEX_FLAG_IMMEDIATE
 * legal in handlers.
 *
 * Source: GASNet-EX 0.19, "gex_EP_QueryBoundSegmentNB".
 *
 * The caller sees to it that:
 * Each output may be written, or is null.
 */
gex_Event_t gex_EP_QueryBoundSegmentNB(gex_TM_t tm,
                                       gex_Rank_t rank,
                                       void **owneraddr_p,
                                       void **localaddr_p,
                                       size_t *size_p,
                                       gex_Flags_t _flags);

/**
 * As gex_EP_QueryBoundSegmentNB, but blocking: returns 0; returns nonzero and does not change the outputs if there
 * is no segment or it was not published to this process. Deprecated.
 *
 * Source: GASNet-EX 0.19, "gex_Segment_QueryBound".
 *
 * The caller sees to it that:
 * Each output may be written, or is null.
 */
int gex_Segment_QueryBound(gex_TM_t tm,
                           gex_Rank_t rank,
                           void **owneraddr_p,
                           void **localaddr_p,
                           size_t *size_p);

/**
 * Returns the address of a segment of this process. Legal in handlers.
 *
 * Source: GASNet-EX 0.19, "Operations on gex_Segment_t".
 */
void *gex_Segment_QueryAddr(gex_Segment_t seg);

/**
 * Returns the size of a segment of this process, in bytes. Legal in handlers.
 *
 * Source: GASNet-EX 0.19, "Operations on gex_Segment_t".
 */
size_t gex_Segment_QuerySize(gex_Segment_t seg);

/**
 * Returns the client of a segment. Legal in handlers.
 *
 * Source: GASNet-EX 0.19, "Operations on gex_Segment_t".
 */
gex_Client_t gex_Segment_QueryClient(gex_Segment_t seg);

/**
 * Returns the flags with which a segment was created. Legal in handlers.
 *
 * Source: GASNet-EX 0.19, "Operations on gex_Segment_t".
 */
gex_Flags_t gex_Segment_QueryFlags(gex_Segment_t seg);

/**
 * Attaches 'val' to a segment, for gex_Segment_QueryCData. Legal in handlers.
 *
 * Source: GASNet-EX 0.19, "Client-Data (CData)".
 */
void gex_Segment_SetCData(gex_Segment_t seg, const void *val);

/**
 * Returns the value that gex_Segment_SetCData attached; NULL initially. Legal in handlers.
 *
 * Source: GASNet-EX 0.19, "Client-Data (CData)".
 */
void *gex_Segment_QueryCData(gex_Segment_t seg);

/**
 * Attaches 'val' to a client, for gex_Client_QueryCData. Legal in handlers.
 *
 * Source: GASNet-EX 0.19, "Client-Data (CData)".
 */
void gex_Client_SetCData(gex_Client_t client, const void *val);

/**
 * Returns the value that gex_Client_SetCData attached; NULL initially. Legal in handlers.
 *
 * Source: GASNet-EX 0.19, "Client-Data (CData)".
 */
void *gex_Client_QueryCData(gex_Client_t client);

/**
 * Returns the flags that were passed to gex_Client_Init. Legal in handlers.
 *
 * Source: GASNet-EX 0.19, "Operations on gex_Client_t".
 */
gex_Flags_t gex_Client_QueryFlags(gex_Client_t client);

/**
 * Returns the name that was passed to gex_Client_Init; "LEGACY" after gasnet_init. Legal in handlers.
 *
 * Source: GASNet-EX 0.19, "Operations on gex_Client_t".
 */
const char *gex_Client_QueryName(gex_Client_t client);

/**
 * Returns this process's rank in the job. Legal in handlers.
 *
 * Source: GASNet-EX 0.19, "Job rank".
 */
gex_Rank_t gex_System_QueryJobRank(void);

/**
 * Returns the number of processes of the job. Legal in handlers.
 *
 * Source: GASNet-EX 0.19, "Job size".
 */
gex_Rank_t gex_System_QueryJobSize(void);

/**
 * Sets whether functions that return an error code also print a line on stderr: nonzero enables it.
 *
 * Source: GASNet-EX 0.19, "gex_System_GetVerboseErrors".
 */
int gex_System_GetVerboseErrors(void);

/**
 * Returns whether functions that return an error code also print a line on stderr: 1 (the initial value) or 0.
 *
 * Source: GASNet-EX 0.19, "gex_System_SetVerboseErrors".
 */
void gex_System_SetVerboseErrors(int enable);

/**
 * Returns the maximum number of threads of this process that use the library; 1 for GASNET_SEQ.
 *
 * Source: GASNet-EX 0.19, "gex_System_QueryMaxThreads".
 */
uint64_t gex_System_QueryMaxThreads(void);

/**
 * Returns the number of threads that do not belong to the client and run handlers: 1 with a receive thread (GASNET_RCV_THREAD, of
 * GASNET_PAR clients), else 0.
 *
 * Source: GASNet-EX 0.19, "gex_System_QueryHiddenAMConcurrencyLevel".
 */
int gex_System_QueryHiddenAMConcurrencyLevel(void);

/**
 * Queries the progress threads that the client must start after gex_Client_Init with GEX_FLAG_DEFER_THREADS. One has the role
 * GEX_THREAD_ROLE_RCV, if the user asks for it (GASNET_RCV_THREAD, of GASNET_PAR clients): it handles messages while no thread of
 * the client calls GASNet. One has the role GEX_THREAD_ROLE_SND, on udp, ucx and ofi in a job whose ranks do not all share memory: it
 * sends messages that wait to share a packet while the client makes no call. '*count_p' becomes their number, '*info_p' their list.
 * Their functions do not return. Until such a thread runs, the client's next call does its work.
 *
 * Returns GASNET_OK; GASNET_ERR_BAD_ARG if an output is NULL or 'flags' is not 0; GASNET_ERR_RESOURCE without
 * GEX_FLAG_DEFER_THREADS.
 *
 * Source: GASNet-EX 0.19, "gex_System_QueryProgressThreads".
 *
 * The caller sees to it that:
 * The outputs may be written, or are null.
 */
int gex_System_QueryProgressThreads(gex_Client_t client,
                                    unsigned int *count_p,
                                    const struct gex_ProgressThreadInfo_t **info_p,
                                    gex_Flags_t flags);

/**
 * Queries the processes of the job that can map each other's segments, including this process (with
 * GASNET_SEGMENT_EVERYTHING only this process): a list in ascending order of ranks (which belongs to the library
 * and must not be written), its length, and the index of this process in it. Each output may be NULL. Legal in
 * handlers.
 *
 * Source: GASNet-EX 0.19, "Neighborhood".
 *
 * The caller sees to it that:
 * Each output may be written, or is null.
 */
void gex_System_QueryNbrhdInfo(struct gex_RankInfo_t **info_p,
                               gex_Rank_t *info_count_p,
                               gex_Rank_t *my_info_index_p);

/**
 * As gex_System_QueryNbrhdInfo, for the processes of this host.
 *
 * Source: GASNet-EX 0.19, "Host".
 *
 * The caller sees to it that:
 * Each output may be written, or is null.
 */
void gex_System_QueryHostInfo(struct gex_RankInfo_t **info_p,
                              gex_Rank_t *info_count_p,
                              gex_Rank_t *my_info_index_p);

/**
 * Queries the numbers of neighbourhoods and hosts of the job, and the indices, from 0, of those of this process.
 * The numbering is the same on all processes. Each output may be NULL. Legal in handlers.
 *
 * Source: GASNet-EX 0.19, "gex_System_QueryMyPosition".
 *
 * The caller sees to it that:
 * Each output may be written, or is null.
 */
void gex_System_QueryMyPosition(gex_Rank_t *nbrhd_set_size_p,
                                gex_Rank_t *nbrhd_set_rank_p,
                                gex_Rank_t *host_set_size_p,
                                gex_Rank_t *host_set_rank_p);

/**
 * Returns a pair: a team for point-to-point calls and queries that connects 'local_ep' with endpoint
 * 'remote_ep_index' of any process. Ranks in a pair are ranks of the job. Not collective; equal arguments give
 * equal values. Legal in handlers.
 *
 * Source: GASNet-EX 0.19, "gex_TM_Pair".
 */
gex_TM_t gex_TM_Pair(gex_EP_t local_ep,
                     gex_EP_Index_t remote_ep_index);

/**
 * Returns this process's rank in a team. Legal in handlers.
 *
 * Source: GASNet-EX 0.19, "Operations on gex_TM_t".
 */
gex_Rank_t gex_TM_QueryRank(gex_TM_t tm);

/**
 * Returns the number of members of a team. Legal in handlers.
 *
 * Source: GASNet-EX 0.19, "Operations on gex_TM_t".
 */
gex_Rank_t gex_TM_QuerySize(gex_TM_t tm);

/**
 * Returns the client of a team. Legal in handlers.
 *
 * Source: GASNet-EX 0.19, "Operations on gex_TM_t".
 */
gex_Client_t gex_TM_QueryClient(gex_TM_t tm);

/**
 * Returns the endpoint of this process in the team. Legal in handlers.
 *
 * Source: GASNet-EX 0.19, "Operations on gex_TM_t".
 */
gex_EP_t gex_TM_QueryEP(gex_TM_t tm);

/**
 * Returns the flags with which a team was created. Legal in handlers.
 *
 * Source: GASNet-EX 0.19, "Operations on gex_TM_t".
 */
gex_Flags_t gex_TM_QueryFlags(gex_TM_t tm);

/**
 * Attaches 'val' to a team, at this member, for gex_TM_QueryCData. Legal in handlers.
 *
 * Source: GASNet-EX 0.19, "Client-Data (CData)".
 */
void gex_TM_SetCData(gex_TM_t tm, const void *val);

/**
 * Returns the value that gex_TM_SetCData attached; NULL initially. Legal in handlers.
 *
 * Source: GASNet-EX 0.19, "Client-Data (CData)".
 */
void *gex_TM_QueryCData(gex_TM_t tm);

/**
 * Returns the rank in the job of rank 'rank' of a team.
 *
 * Source: GASNet-EX 0.19, "Rank translation".
 */
gex_Rank_t gex_TM_TranslateRankToJobrank(gex_TM_t tm, gex_Rank_t rank);

/**
 * Returns the rank in a team of rank 'jobrank' of the job, or GEX_RANK_INVALID if it is not a member.
 *
 * Source: GASNet-EX 0.19, "Rank translation".
 */
gex_Rank_t gex_TM_TranslateJobrankToRank(gex_TM_t tm, gex_Rank_t jobrank);

/**
 * Returns the rank in the job and the endpoint of rank 'rank' of a team. 'flags' is 0.
 *
 * Source: GASNet-EX 0.19, "gex_TM_TranslateRankToEP".
 */
struct gex_EP_Location_t gex_TM_TranslateRankToEP(gex_TM_t tm, gex_Rank_t rank, gex_Flags_t _flags);

/**
 * Splits the members of 'parent_tm' into new teams.
 *
 * Members with the same 'color' and a non-NULL 'new_tm_p' form one team, ordered by 'key', and by rank in
 * 'parent_tm' where keys are equal; '*new_tm_p' is this member's handle of it. A member whose 'new_tm_p' is NULL
 * takes part in the call but joins no team. 'scratch_addr' and 'scratch_size' describe memory in the bound segment
 * that belongs to the library until gex_TM_Destroy; alternatively 'flags' has GEX_FLAG_TM_NO_SCRATCH. Blocks until
 * all members of 'parent_tm' have called it, and may run AM handlers; must not be called from a handler. Called by
 * all in the same order as their other collectives.
 *
 * Returns 0. With GEX_FLAG_TM_SCRATCH_SIZE_RECOMMENDED no team is created: returns the recommended 'scratch_size',
 * or 0 if 'new_tm_p' is NULL.
 *
 * Ends the job if 'color' is negative, or if neither scratch memory nor GEX_FLAG_TM_NO_SCRATCH is given.
 *
 * Source: GASNet-EX 0.19, "gex_TM_Split".
 *
 * The caller sees to it that:
 * 'new_tm_p' is NULL or writable; the scratch memory is not used otherwise during the lifetime of the team.
 */
size_t gex_TM_Split(gex_TM_t *new_tm_p,
                    gex_TM_t parent_tm,
                    int color,
                    int key,
                    void *scratch_addr,
                    size_t scratch_size,
                    gex_Flags_t flags);

/**
 * Creates teams of arbitrary endpoints.
 *
 * Each member of 'parent_tm' lists in 'args', by rank and endpoint index, all 'numargs' members of one new team,
 * in the order of their ranks in it; a member with an empty list takes part in the call but joins no team.
 * 'gex_rank' is a rank of 'parent_tm' or, with GEX_FLAG_RANK_IS_JOBRANK, of the job. The lists of two callers are
 * equal or have no endpoint in common. 'new_tms' receives the handles of this process's 'num_new_tms' members,
 * ordered by rank. 'flags' has exactly one of the following: with GEX_FLAG_TM_LOCAL_SCRATCH 'scratch_addrs' has an
 * address for each of these members, with GEX_FLAG_TM_GLOBAL_SCRATCH for every member of the team, with
 * GEX_FLAG_TM_SYMMETRIC_SCRATCH one address for all members; with GEX_FLAG_TM_NO_SCRATCH it is ignored. The
 * 'scratch_size' bytes at these addresses belong to the library until gex_TM_Destroy; with
 * GEX_FLAG_SCRATCH_SEG_OFFSET the addresses are offsets into the bound segments. Blocks until all members of
 * 'parent_tm' have called it, and may run AM handlers; must not be called from a handler. Called by all in the
 * same order as their other collectives.
 *
 * Returns 0. With GEX_FLAG_TM_SCRATCH_SIZE_RECOMMENDED no team is created: returns the recommended 'scratch_size',
 * or 0 if 'numargs' is 0.
 *
 * Ends the job if an argument is out of range, lists an endpoint twice, or contradicts other arguments.
 *
 * Source: GASNet-EX 0.19, "gex_TM_Create".
 *
 * The caller sees to it that:
 * 'args' has 'numargs' entries, 'scratch_addrs' the number determined by 'flags', 'new_tms' 'num_new_tms'; the
 * scratch memory is not used otherwise during the lifetime of the team.
 */
size_t gex_TM_Create(gex_TM_t *new_tms,
                     size_t num_new_tms,
                     gex_TM_t parent_tm,
                     struct gex_EP_Location_t *args,
                     size_t numargs,
                     gex_Addr_t *scratch_addrs,
                     size_t scratch_size,
                     gex_Flags_t flags);

/**
 * Creates another team of the same members as 'orig_tm', in the same order.
 *
 * '*new_tm_p' is this member's handle of it. 'scratch_addr' and 'scratch_len' describe memory in the bound segment
 * that belongs to the library until gex_TM_Destroy; alternatively 'flags' has GEX_FLAG_TM_NO_SCRATCH. Blocks until
 * all members have called it, and may run AM handlers; must not be called from a handler.
 *
 * Returns 0. With GEX_FLAG_TM_SCRATCH_SIZE_RECOMMENDED no team is created: returns the recommended 'scratch_len'.
 *
 * Source: GASNet-EX memory kinds, proposal; like "gex_TM_Split" with one color.
 *
 * The caller sees to it that:
 * 'new_tm_p' is writable; the scratch memory is not used otherwise during the lifetime of the team.
 */
size_t gex_TM_Dup(gex_TM_t *new_tm_p,
                  gex_TM_t orig_tm,
                  gex_Addr_t scratch_addr,
                  size_t scratch_len,
                  gex_Flags_t flags);

/**
 * Destroys a team. Called by all its members, each after it has synchronised its collectives over 'tm' and
 * destroyed its atomic domains; 'tm' must not be used afterwards. Does not wait for other members, with or without
 * GEX_FLAG_GLOBALLY_QUIESCED.
 *
 * Returns 1 and stores the address and size of the client's scratch memory in '*scratch_p' if there is scratch
 * memory and 'scratch_p' is not NULL; else 0.
 *
 * Ends the job if 'tm' is the primordial team, or has collectives in flight on this member.
 *
 * Source: GASNet-EX 0.19, "gex_TM_Destroy".
 *
 * The caller sees to it that:
 * 'scratch_p' is NULL or writable.
 */
int gex_TM_Destroy(gex_TM_t tm,
                   struct gex_Memvec_t *scratch_p,
                   gex_Flags_t flags);

/**
 * Copies the bytes described by a local list to those of a remote list on 'dstrank' of 'tm', and waits.
 *
 * Blocks, and may run AM handlers; must not be called from a handler.
 *
 * The bytes of both lists are paired in order; both lists describe the same number of bytes. Lists and pieces may
 * be empty.
 *
 * Returns 0; nonzero only with GEX_FLAG_IMMEDIATE, if resources were exhausted and the operation was not started.
 *
 * Ends the job if the two sides differ in total length, or if a list with entries is NULL; debug clients: also if
 * the remote side is outside the target's segment.
 *
 * Source: GASNet-EX 0.19, "Vector/Indexed/Strided (VIS)".
 *
 * The caller sees to it that:
 * The lists and the memory that they describe are mapped for the time stated above; during that time no other
 * thread or operation accesses memory that is written.
 */
int gex_VIS_VectorPutBlocking(gex_TM_t tm,
                              gex_Rank_t dstrank,
                              size_t dstcount,
                              const struct gex_Memvec_t *dstlist,
                              size_t srccount,
                              const struct gex_Memvec_t *srclist,
                              gex_Flags_t flags);

/**
 * Starts to copy the bytes described by a local list to those of a remote list on 'dstrank' of 'tm'.
 *
 * The source data and the lists must not be changed until the operation is synchronised; with
 * GEX_FLAG_ENABLE_LEAF_LC the source data may be changed once gex_Event_QueryLeaf(event, GEX_EC_LC) is
 * synchronised. May run AM handlers; must not be called from one.
 *
 * The bytes of both lists are paired in order; both lists describe the same number of bytes. Lists and pieces may
 * be empty.
 *
 * Returns the operation's event; GEX_EVENT_INVALID if it is already complete; GEX_EVENT_NO_OP only with
 * GEX_FLAG_IMMEDIATE, if resources were exhausted and the operation was not started.
 *
 * Ends the job if the two sides differ in total length, or if a list with entries is NULL; debug clients: also if
 * the remote side is outside the target's segment.
 *
 * Source: GASNet-EX 0.19, "Vector/Indexed/Strided (VIS)".
 *
 * The caller sees to it that:
 * The lists and the memory that they describe are mapped for the time stated above; during that time no other
 * thread or operation accesses memory that is written.
 */
gex_Event_t gex_VIS_VectorPutNB(gex_TM_t tm,
                                gex_Rank_t dstrank,
                                size_t dstcount,
                                const struct gex_Memvec_t *dstlist,
                                size_t srccount,
                                const struct gex_Memvec_t *srclist,
                                gex_Flags_t flags);

/**
 * Starts to copy the bytes described by a local list to those of a remote list on 'dstrank' of 'tm', as an
 * implicit operation of this thread.
 *
 * The source data and the lists must not be changed until the operation is synchronised; with
 * GEX_FLAG_ENABLE_LEAF_LC the source data may be changed once GEX_EC_LC is synchronised. May run AM handlers; must
 * not be called from one.
 *
 * The bytes of both lists are paired in order; both lists describe the same number of bytes. Lists and pieces may
 * be empty.
 *
 * Returns 0; nonzero only with GEX_FLAG_IMMEDIATE, if resources were exhausted and the operation was not started.
 *
 * Ends the job if the two sides differ in total length, or if a list with entries is NULL; debug clients: also if
 * the remote side is outside the target's segment.
 *
 * Source: GASNet-EX 0.19, "Vector/Indexed/Strided (VIS)".
 *
 * The caller sees to it that:
 * The lists and the memory that they describe are mapped for the time stated above; during that time no other
 * thread or operation accesses memory that is written.
 */
int gex_VIS_VectorPutNBI(gex_TM_t tm,
                         gex_Rank_t dstrank,
                         size_t dstcount,
                         const struct gex_Memvec_t *dstlist,
                         size_t srccount,
                         const struct gex_Memvec_t *srclist,
                         gex_Flags_t flags);

/**
 * Copies the bytes described by a remote list on 'srcrank' of 'tm' to those of a local list, and waits.
 *
 * Blocks, and may run AM handlers; must not be called from a handler.
 *
 * The bytes of both lists are paired in order; both lists describe the same number of bytes. Lists and pieces may
 * be empty.
 *
 * Returns 0; nonzero only with GEX_FLAG_IMMEDIATE, if resources were exhausted and the operation was not started.
 *
 * Ends the job if the two sides differ in total length, or if a list with entries is NULL; debug clients: also if
 * the remote side is outside the target's segment.
 *
 * Source: GASNet-EX 0.19, "Vector/Indexed/Strided (VIS)".
 *
 * The caller sees to it that:
 * The lists and the memory that they describe are mapped for the time stated above; during that time no other
 * thread or operation accesses memory that is written.
 */
int gex_VIS_VectorGetBlocking(gex_TM_t tm,
                              size_t dstcount,
                              const struct gex_Memvec_t *dstlist,
                              gex_Rank_t srcrank,
                              size_t srccount,
                              const struct gex_Memvec_t *srclist,
                              gex_Flags_t flags);

/**
 * Starts to copy the bytes described by a remote list on 'srcrank' of 'tm' to those of a local list.
 *
 * The lists must not be changed, and the destination is undefined, until the operation is synchronised. May run AM
 * handlers; must not be called from one.
 *
 * The bytes of both lists are paired in order; both lists describe the same number of bytes. Lists and pieces may
 * be empty.
 *
 * Returns the operation's event; GEX_EVENT_INVALID if it is already complete; GEX_EVENT_NO_OP only with
 * GEX_FLAG_IMMEDIATE, if resources were exhausted and the operation was not started.
 *
 * Ends the job if the two sides differ in total length, or if a list with entries is NULL; debug clients: also if
 * the remote side is outside the target's segment.
 *
 * Source: GASNet-EX 0.19, "Vector/Indexed/Strided (VIS)".
 *
 * The caller sees to it that:
 * The lists and the memory that they describe are mapped for the time stated above; during that time no other
 * thread or operation accesses memory that is written.
 */
gex_Event_t gex_VIS_VectorGetNB(gex_TM_t tm,
                                size_t dstcount,
                                const struct gex_Memvec_t *dstlist,
                                gex_Rank_t srcrank,
                                size_t srccount,
                                const struct gex_Memvec_t *srclist,
                                gex_Flags_t flags);

/**
 * Starts to copy the bytes described by a remote list on 'srcrank' of 'tm' to those of a local list, as an
 * implicit operation of this thread.
 *
 * The lists must not be changed, and the destination is undefined, until the operation is synchronised. May run AM
 * handlers; must not be called from one.
 *
 * The bytes of both lists are paired in order; both lists describe the same number of bytes. Lists and pieces may
 * be empty.
 *
 * Returns 0; nonzero only with GEX_FLAG_IMMEDIATE, if resources were exhausted and the operation was not started.
 *
 * Ends the job if the two sides differ in total length, or if a list with entries is NULL; debug clients: also if
 * the remote side is outside the target's segment.
 *
 * Source: GASNet-EX 0.19, "Vector/Indexed/Strided (VIS)".
 *
 * The caller sees to it that:
 * The lists and the memory that they describe are mapped for the time stated above; during that time no other
 * thread or operation accesses memory that is written.
 */
int gex_VIS_VectorGetNBI(gex_TM_t tm,
                         size_t dstcount,
                         const struct gex_Memvec_t *dstlist,
                         gex_Rank_t srcrank,
                         size_t srccount,
                         const struct gex_Memvec_t *srclist,
                         gex_Flags_t flags);

/**
 * Copies local pieces of equal length to 'dstrank' of 'tm', and waits.
 *
 * Blocks, and may run AM handlers; must not be called from a handler.
 *
 * The bytes of both lists are paired in order; both lists describe the same number of bytes: 'dstcount' pieces of
 * 'dstlen' bytes, and 'srccount' pieces of 'srclen' bytes.
 *
 * Returns 0; nonzero only with GEX_FLAG_IMMEDIATE, if resources were exhausted and the operation was not started.
 *
 * Ends the job if the two sides differ in total length, or if a list with entries is NULL; debug clients: also if
 * the remote side is outside the target's segment.
 *
 * Source: GASNet-EX 0.19, "Vector/Indexed/Strided (VIS)".
 *
 * The caller sees to it that:
 * The lists and the memory that they describe are mapped for the time stated above; during that time no other
 * thread or operation accesses memory that is written.
 */
int gex_VIS_IndexedPutBlocking(gex_TM_t tm,
                               gex_Rank_t dstrank,
                               size_t dstcount,
                               void *const *dstlist,
                               size_t dstlen,
                               size_t srccount,
                               void *const *srclist,
                               size_t srclen,
                               gex_Flags_t flags);

/**
 * Starts to copy local pieces of equal length to 'dstrank' of 'tm'.
 *
 * The source data and the lists must not be changed until the operation is synchronised; with
 * GEX_FLAG_ENABLE_LEAF_LC the source data may be changed once gex_Event_QueryLeaf(event, GEX_EC_LC) is
 * synchronised. May run AM handlers; must not be called from one.
 *
 * The bytes of both lists are paired in order; both lists describe the same number of bytes: 'dstcount' pieces of
 * 'dstlen' bytes, and 'srccount' pieces of 'srclen' bytes.
 *
 * Returns the operation's event; GEX_EVENT_INVALID if it is already complete; GEX_EVENT_NO_OP only with
 * GEX_FLAG_IMMEDIATE, if resources were exhausted and the operation was not started.
 *
 * Ends the job if the two sides differ in total length, or if a list with entries is NULL; debug clients: also if
 * the remote side is outside the target's segment.
 *
 * Source: GASNet-EX 0.19, "Vector/Indexed/Strided (VIS)".
 *
 * The caller sees to it that:
 * The lists and the memory that they describe are mapped for the time stated above; during that time no other
 * thread or operation accesses memory that is written.
 */
gex_Event_t gex_VIS_IndexedPutNB(gex_TM_t tm,
                                 gex_Rank_t dstrank,
                                 size_t dstcount,
                                 void *const *dstlist,
                                 size_t dstlen,
                                 size_t srccount,
                                 void *const *srclist,
                                 size_t srclen,
                                 gex_Flags_t flags);

/**
 * Starts to copy local pieces of equal length to 'dstrank' of 'tm', as an implicit operation of this thread.
 *
 * The source data and the lists must not be changed until the operation is synchronised; with
 * GEX_FLAG_ENABLE_LEAF_LC the source data may be changed once GEX_EC_LC is synchronised. May run AM handlers; must
 * not be called from one.
 *
 * The bytes of both lists are paired in order; both lists describe the same number of bytes: 'dstcount' pieces of
 * 'dstlen' bytes, and 'srccount' pieces of 'srclen' bytes.
 *
 * Returns 0; nonzero only with GEX_FLAG_IMMEDIATE, if resources were exhausted and the operation was not started.
 *
 * Ends the job if the two sides differ in total length, or if a list with entries is NULL; debug clients: also if
 * the remote side is outside the target's segment.
 *
 * Source: GASNet-EX 0.19, "Vector/Indexed/Strided (VIS)".
 *
 * The caller sees to it that:
 * The lists and the memory that they describe are mapped for the time stated above; during that time no other
 * thread or operation accesses memory that is written.
 */
int gex_VIS_IndexedPutNBI(gex_TM_t tm,
                          gex_Rank_t dstrank,
                          size_t dstcount,
                          void *const *dstlist,
                          size_t dstlen,
                          size_t srccount,
                          void *const *srclist,
                          size_t srclen,
                          gex_Flags_t flags);

/**
 * Copies pieces of equal length from 'srcrank' of 'tm' to local memory, and waits.
 *
 * Blocks, and may run AM handlers; must not be called from a handler.
 *
 * The bytes of both lists are paired in order; both lists describe the same number of bytes: 'dstcount' pieces of
 * 'dstlen' bytes, and 'srccount' pieces of 'srclen' bytes.
 *
 * Returns 0; nonzero only with GEX_FLAG_IMMEDIATE, if resources were exhausted and the operation was not started.
 *
 * Ends the job if the two sides differ in total length, or if a list with entries is NULL; debug clients: also if
 * the remote side is outside the target's segment.
 *
 * Source: GASNet-EX 0.19, "Vector/Indexed/Strided (VIS)".
 *
 * The caller sees to it that:
 * The lists and the memory that they describe are mapped for the time stated above; during that time no other
 * thread or operation accesses memory that is written.
 */
int gex_VIS_IndexedGetBlocking(gex_TM_t tm,
                               size_t dstcount,
                               void *const *dstlist,
                               size_t dstlen,
                               gex_Rank_t srcrank,
                               size_t srccount,
                               void *const *srclist,
                               size_t srclen,
                               gex_Flags_t flags);

/**
 * Starts to copy pieces of equal length from 'srcrank' of 'tm' to local memory.
 *
 * The lists must not be changed, and the destination is undefined, until the operation is synchronised. May run AM
 * handlers; must not be called from one.
 *
 * The bytes of both lists are paired in order; both lists describe the same number of bytes: 'dstcount' pieces of
 * 'dstlen' bytes, and 'srccount' pieces of 'srclen' bytes.
 *
 * Returns the operation's event; GEX_EVENT_INVALID if it is already complete; GEX_EVENT_NO_OP only with
 * GEX_FLAG_IMMEDIATE, if resources were exhausted and the operation was not started.
 *
 * Ends the job if the two sides differ in total length, or if a list with entries is NULL; debug clients: also if
 * the remote side is outside the target's segment.
 *
 * Source: GASNet-EX 0.19, "Vector/Indexed/Strided (VIS)".
 *
 * The caller sees to it that:
 * The lists and the memory that they describe are mapped for the time stated above; during that time no other
 * thread or operation accesses memory that is written.
 */
gex_Event_t gex_VIS_IndexedGetNB(gex_TM_t tm,
                                 size_t dstcount,
                                 void *const *dstlist,
                                 size_t dstlen,
                                 gex_Rank_t srcrank,
                                 size_t srccount,
                                 void *const *srclist,
                                 size_t srclen,
                                 gex_Flags_t flags);

/**
 * Starts to copy pieces of equal length from 'srcrank' of 'tm' to local memory, as an implicit operation of this
 * thread.
 *
 * The lists must not be changed, and the destination is undefined, until the operation is synchronised. May run AM
 * handlers; must not be called from one.
 *
 * The bytes of both lists are paired in order; both lists describe the same number of bytes: 'dstcount' pieces of
 * 'dstlen' bytes, and 'srccount' pieces of 'srclen' bytes.
 *
 * Returns 0; nonzero only with GEX_FLAG_IMMEDIATE, if resources were exhausted and the operation was not started.
 *
 * Ends the job if the two sides differ in total length, or if a list with entries is NULL; debug clients: also if
 * the remote side is outside the target's segment.
 *
 * Source: GASNet-EX 0.19, "Vector/Indexed/Strided (VIS)".
 *
 * The caller sees to it that:
 * The lists and the memory that they describe are mapped for the time stated above; during that time no other
 * thread or operation accesses memory that is written.
 */
int gex_VIS_IndexedGetNBI(gex_TM_t tm,
                          size_t dstcount,
                          void *const *dstlist,
                          size_t dstlen,
                          gex_Rank_t srcrank,
                          size_t srccount,
                          void *const *srclist,
                          size_t srclen,
                          gex_Flags_t flags);

/**
 * Requests that the next vector, indexed or strided put of this thread run 'handler' at its target, as the handler
 * of a Medium reply without arguments, once the data of that put is in place.
 *
 * The handler's payload is the 'nbytes' bytes at 'source_addr', at most GEX_VIS_MAX_PEERCOMPLETION; they must not
 * be changed until the put, or its local completion, is synchronised. 'handler' 0 cancels an earlier request.
 * 'flags' is 0.
 *
 * Ends the job if 'nbytes' is too large, or 'handler' is below GEX_AM_INDEX_BASE and not 0.
 *
 * Source: GASNet-EX 0.19, "VIS Put Peer Completion" (deprecated there).
 *
 * The caller sees to it that:
 * 'source_addr' has 'nbytes' readable bytes for the time stated above.
 */
void gex_VIS_SetPeerCompletionHandler(gex_AM_Index_t handler,
                                      const void *source_addr,
                                      size_t nbytes,
                                      gex_Flags_t flags);

/**
 * Copies the bytes described by a local list to those of a remote list on 'dstnode', and waits.
 *
 * Blocks, and may run AM handlers; must not be called from a handler.
 *
 * The bytes of both lists are paired in order; both lists describe the same number of bytes. Lists and pieces may
 * be empty.
 *
 * Ends the job if the two sides differ in total length, or if a list with entries is NULL; debug clients: also if
 * the remote side is outside the target's segment.
 *
 * Source: GASNet 1, "Non-contiguous transfers" (prototype extension).
 *
 * The caller sees to it that:
 * The lists and the memory that they describe are mapped for the time stated above; during that time no other
 * thread or operation accesses memory that is written.
 */
void gasnet_putv_bulk(gasnet_node_t dstnode,
                      size_t dstcount,
                      const struct gasnet_memvec_t *dstlist,
                      size_t srccount,
                      const struct gasnet_memvec_t *srclist);

/**
 * Starts to copy the bytes described by a local list to those of a remote list on 'dstnode'.
 *
 * The source data and the lists must not be changed until the operation is synchronised. May run AM handlers; must
 * not be called from one.
 *
 * The bytes of both lists are paired in order; both lists describe the same number of bytes. Lists and pieces may
 * be empty.
 *
 * Returns a handle, to be synchronised once; GASNET_INVALID_HANDLE if already complete.
 *
 * Ends the job if the two sides differ in total length, or if a list with entries is NULL; debug clients: also if
 * the remote side is outside the target's segment.
 *
 * Source: GASNet 1, "Non-contiguous transfers" (prototype extension).
 *
 * The caller sees to it that:
 * The lists and the memory that they describe are mapped for the time stated above; during that time no other
 * thread or operation accesses memory that is written.
 */
gasnet_handle_t gasnet_putv_nb_bulk(gasnet_node_t dstnode,
                                    size_t dstcount,
                                    const struct gasnet_memvec_t *dstlist,
                                    size_t srccount,
                                    const struct gasnet_memvec_t *srclist);

/**
 * Starts to copy the bytes described by a local list to those of a remote list on 'dstnode', without a handle.
 *
 * The source data and the lists must not be changed until the operation is synchronised. May run AM handlers; must
 * not be called from one.
 *
 * The bytes of both lists are paired in order; both lists describe the same number of bytes. Lists and pieces may
 * be empty.
 *
 * Ends the job if the two sides differ in total length, or if a list with entries is NULL; debug clients: also if
 * the remote side is outside the target's segment.
 *
 * Source: GASNet 1, "Non-contiguous transfers" (prototype extension).
 *
 * The caller sees to it that:
 * The lists and the memory that they describe are mapped for the time stated above; during that time no other
 * thread or operation accesses memory that is written.
 */
void gasnet_putv_nbi_bulk(gasnet_node_t dstnode,
                          size_t dstcount,
                          const struct gasnet_memvec_t *dstlist,
                          size_t srccount,
                          const struct gasnet_memvec_t *srclist);

/**
 * Copies the bytes described by a remote list on 'srcnode' to those of a local list, and waits.
 *
 * Blocks, and may run AM handlers; must not be called from a handler.
 *
 * The bytes of both lists are paired in order; both lists describe the same number of bytes. Lists and pieces may
 * be empty.
 *
 * Ends the job if the two sides differ in total length, or if a list with entries is NULL; debug clients: also if
 * the remote side is outside the target's segment.
 *
 * Source: GASNet 1, "Non-contiguous transfers" (prototype extension).
 *
 * The caller sees to it that:
 * The lists and the memory that they describe are mapped for the time stated above; during that time no other
 * thread or operation accesses memory that is written.
 */
void gasnet_getv_bulk(size_t dstcount,
                      const struct gasnet_memvec_t *dstlist,
                      gasnet_node_t srcnode,
                      size_t srccount,
                      const struct gasnet_memvec_t *srclist);

/**
 * Starts to copy the bytes described by a remote list on 'srcnode' to those of a local list.
 *
 * The lists must not be changed, and the destination is undefined, until the operation is synchronised. May run AM
 * handlers; must not be called from one.
 *
 * The bytes of both lists are paired in order; both lists describe the same number of bytes. Lists and pieces may
 * be empty.
 *
 * Returns a handle, to be synchronised once; GASNET_INVALID_HANDLE if already complete.
 *
 * Ends the job if the two sides differ in total length, or if a list with entries is NULL; debug clients: also if
 * the remote side is outside the target's segment.
 *
 * Source: GASNet 1, "Non-contiguous transfers" (prototype extension).
 *
 * The caller sees to it that:
 * The lists and the memory that they describe are mapped for the time stated above; during that time no other
 * thread or operation accesses memory that is written.
 */
gasnet_handle_t gasnet_getv_nb_bulk(size_t dstcount,
                                    const struct gasnet_memvec_t *dstlist,
                                    gasnet_node_t srcnode,
                                    size_t srccount,
                                    const struct gasnet_memvec_t *srclist);

/**
 * Starts to copy the bytes described by a remote list on 'srcnode' to those of a local list, without a handle.
 *
 * The lists must not be changed, and the destination is undefined, until the operation is synchronised. May run AM
 * handlers; must not be called from one.
 *
 * The bytes of both lists are paired in order; both lists describe the same number of bytes. Lists and pieces may
 * be empty.
 *
 * Ends the job if the two sides differ in total length, or if a list with entries is NULL; debug clients: also if
 * the remote side is outside the target's segment.
 *
 * Source: GASNet 1, "Non-contiguous transfers" (prototype extension).
 *
 * The caller sees to it that:
 * The lists and the memory that they describe are mapped for the time stated above; during that time no other
 * thread or operation accesses memory that is written.
 */
void gasnet_getv_nbi_bulk(size_t dstcount,
                          const struct gasnet_memvec_t *dstlist,
                          gasnet_node_t srcnode,
                          size_t srccount,
                          const struct gasnet_memvec_t *srclist);

/**
 * Copies local pieces of equal length to 'dstnode', and waits.
 *
 * Blocks, and may run AM handlers; must not be called from a handler.
 *
 * The bytes of both lists are paired in order; both lists describe the same number of bytes: 'dstcount' pieces of
 * 'dstlen' bytes, and 'srccount' pieces of 'srclen' bytes.
 *
 * Ends the job if the two sides differ in total length, or if a list with entries is NULL; debug clients: also if
 * the remote side is outside the target's segment.
 *
 * Source: GASNet 1, "Non-contiguous transfers" (prototype extension).
 *
 * The caller sees to it that:
 * The lists and the memory that they describe are mapped for the time stated above; during that time no other
 * thread or operation accesses memory that is written.
 */
void gasnet_puti_bulk(gasnet_node_t dstnode,
                      size_t dstcount,
                      void *const *dstlist,
                      size_t dstlen,
                      size_t srccount,
                      void *const *srclist,
                      size_t srclen);

/**
 * Starts to copy local pieces of equal length to 'dstnode'.
 *
 * The source data and the lists must not be changed until the operation is synchronised. May run AM handlers; must
 * not be called from one.
 *
 * The bytes of both lists are paired in order; both lists describe the same number of bytes: 'dstcount' pieces of
 * 'dstlen' bytes, and 'srccount' pieces of 'srclen' bytes.
 *
 * Returns a handle, to be synchronised once; GASNET_INVALID_HANDLE if already complete.
 *
 * Ends the job if the two sides differ in total length, or if a list with entries is NULL; debug clients: also if
 * the remote side is outside the target's segment.
 *
 * Source: GASNet 1, "Non-contiguous transfers" (prototype extension).
 *
 * The caller sees to it that:
 * The lists and the memory that they describe are mapped for the time stated above; during that time no other
 * thread or operation accesses memory that is written.
 */
gasnet_handle_t gasnet_puti_nb_bulk(gasnet_node_t dstnode,
                                    size_t dstcount,
                                    void *const *dstlist,
                                    size_t dstlen,
                                    size_t srccount,
                                    void *const *srclist,
                                    size_t srclen);

/**
 * Starts to copy local pieces of equal length to 'dstnode', without a handle.
 *
 * The source data and the lists must not be changed until the operation is synchronised. May run AM handlers; must
 * not be called from one.
 *
 * The bytes of both lists are paired in order; both lists describe the same number of bytes: 'dstcount' pieces of
 * 'dstlen' bytes, and 'srccount' pieces of 'srclen' bytes.
 *
 * Ends the job if the two sides differ in total length, or if a list with entries is NULL; debug clients: also if
 * the remote side is outside the target's segment.
 *
 * Source: GASNet 1, "Non-contiguous transfers" (prototype extension).
 *
 * The caller sees to it that:
 * The lists and the memory that they describe are mapped for the time stated above; during that time no other
 * thread or operation accesses memory that is written.
 */
void gasnet_puti_nbi_bulk(gasnet_node_t dstnode,
                          size_t dstcount,
                          void *const *dstlist,
                          size_t dstlen,
                          size_t srccount,
                          void *const *srclist,
                          size_t srclen);

/**
 * Copies pieces of equal length from 'srcnode' to local memory, and waits.
 *
 * Blocks, and may run AM handlers; must not be called from a handler.
 *
 * The bytes of both lists are paired in order; both lists describe the same number of bytes: 'dstcount' pieces of
 * 'dstlen' bytes, and 'srccount' pieces of 'srclen' bytes.
 *
 * Ends the job if the two sides differ in total length, or if a list with entries is NULL; debug clients: also if
 * the remote side is outside the target's segment.
 *
 * Source: GASNet 1, "Non-contiguous transfers" (prototype extension).
 *
 * The caller sees to it that:
 * The lists and the memory that they describe are mapped for the time stated above; during that time no other
 * thread or operation accesses memory that is written.
 */
void gasnet_geti_bulk(size_t dstcount,
                      void *const *dstlist,
                      size_t dstlen,
                      gasnet_node_t srcnode,
                      size_t srccount,
                      void *const *srclist,
                      size_t srclen);

/**
 * Starts to copy pieces of equal length from 'srcnode' to local memory.
 *
 * The lists must not be changed, and the destination is undefined, until the operation is synchronised. May run AM
 * handlers; must not be called from one.
 *
 * The bytes of both lists are paired in order; both lists describe the same number of bytes: 'dstcount' pieces of
 * 'dstlen' bytes, and 'srccount' pieces of 'srclen' bytes.
 *
 * Returns a handle, to be synchronised once; GASNET_INVALID_HANDLE if already complete.
 *
 * Ends the job if the two sides differ in total length, or if a list with entries is NULL; debug clients: also if
 * the remote side is outside the target's segment.
 *
 * Source: GASNet 1, "Non-contiguous transfers" (prototype extension).
 *
 * The caller sees to it that:
 * The lists and the memory that they describe are mapped for the time stated above; during that time no other
 * thread or operation accesses memory that is written.
 */
gasnet_handle_t gasnet_geti_nb_bulk(size_t dstcount,
                                    void *const *dstlist,
                                    size_t dstlen,
                                    gasnet_node_t srcnode,
                                    size_t srccount,
                                    void *const *srclist,
                                    size_t srclen);

/**
 * Starts to copy pieces of equal length from 'srcnode' to local memory, without a handle.
 *
 * The lists must not be changed, and the destination is undefined, until the operation is synchronised. May run AM
 * handlers; must not be called from one.
 *
 * The bytes of both lists are paired in order; both lists describe the same number of bytes: 'dstcount' pieces of
 * 'dstlen' bytes, and 'srccount' pieces of 'srclen' bytes.
 *
 * Ends the job if the two sides differ in total length, or if a list with entries is NULL; debug clients: also if
 * the remote side is outside the target's segment.
 *
 * Source: GASNet 1, "Non-contiguous transfers" (prototype extension).
 *
 * The caller sees to it that:
 * The lists and the memory that they describe are mapped for the time stated above; during that time no other
 * thread or operation accesses memory that is written.
 */
void gasnet_geti_nbi_bulk(size_t dstcount,
                          void *const *dstlist,
                          size_t dstlen,
                          gasnet_node_t srcnode,
                          size_t srccount,
                          void *const *srclist,
                          size_t srclen);

/**
 * Copies a local strided region to 'dstnode', and waits.
 *
 * Blocks, and may run AM handlers; must not be called from a handler.
 *
 * 'count[0]' contiguous bytes are copied for every combination of indices below 'count[1]' to
 * 'count[stridelevels]'; index i adds 'dststrides[i-1]' and 'srcstrides[i-1]' bytes to the two addresses. A count
 * of 0 does nothing.
 *
 * Ends the job if an array of strides or counts with entries is NULL; debug clients: also if the remote side is
 * outside the target's segment.
 *
 * Source: GASNet 1, "Non-contiguous transfers" (prototype extension).
 *
 * The caller sees to it that:
 * The described memory is mapped for the time stated above; during that time no other thread or operation accesses
 * memory that is written.
 */
void gasnet_puts_bulk(gasnet_node_t dstnode,
                      void *dstaddr,
                      const size_t *dststrides,
                      void *srcaddr,
                      const size_t *srcstrides,
                      const size_t *count,
                      size_t stridelevels);

/**
 * Starts to copy a local strided region to 'dstnode'.
 *
 * The arrays of strides and counts may be reused on return. The source must not be changed until the operation is
 * synchronised. May run AM handlers; must not be called from one.
 *
 * 'count[0]' contiguous bytes are copied for every combination of indices below 'count[1]' to
 * 'count[stridelevels]'; index i adds 'dststrides[i-1]' and 'srcstrides[i-1]' bytes to the two addresses. A count
 * of 0 does nothing.
 *
 * Returns a handle, to be synchronised once; GASNET_INVALID_HANDLE if already complete.
 *
 * Ends the job if an array of strides or counts with entries is NULL; debug clients: also if the remote side is
 * outside the target's segment.
 *
 * Source: GASNet 1, "Non-contiguous transfers" (prototype extension).
 *
 * The caller sees to it that:
 * The described memory is mapped for the time stated above; during that time no other thread or operation accesses
 * memory that is written.
 */
gasnet_handle_t gasnet_puts_nb_bulk(gasnet_node_t dstnode,
                                    void *dstaddr,
                                    const size_t *dststrides,
                                    void *srcaddr,
                                    const size_t *srcstrides,
                                    const size_t *count,
                                    size_t stridelevels);

/**
 * Starts to copy a local strided region to 'dstnode', without a handle.
 *
 * The arrays of strides and counts may be reused on return. The source must not be changed until the operation is
 * synchronised. May run AM handlers; must not be called from one.
 *
 * 'count[0]' contiguous bytes are copied for every combination of indices below 'count[1]' to
 * 'count[stridelevels]'; index i adds 'dststrides[i-1]' and 'srcstrides[i-1]' bytes to the two addresses. A count
 * of 0 does nothing.
 *
 * Ends the job if an array of strides or counts with entries is NULL; debug clients: also if the remote side is
 * outside the target's segment.
 *
 * Source: GASNet 1, "Non-contiguous transfers" (prototype extension).
 *
 * The caller sees to it that:
 * The described memory is mapped for the time stated above; during that time no other thread or operation accesses
 * memory that is written.
 */
void gasnet_puts_nbi_bulk(gasnet_node_t dstnode,
                          void *dstaddr,
                          const size_t *dststrides,
                          void *srcaddr,
                          const size_t *srcstrides,
                          const size_t *count,
                          size_t stridelevels);

/**
 * Copies a strided region from 'srcnode' to local memory, and waits.
 *
 * Blocks, and may run AM handlers; must not be called from a handler.
 *
 * 'count[0]' contiguous bytes are copied for every combination of indices below 'count[1]' to
 * 'count[stridelevels]'; index i adds 'dststrides[i-1]' and 'srcstrides[i-1]' bytes to the two addresses. A count
 * of 0 does nothing.
 *
 * Ends the job if an array of strides or counts with entries is NULL; debug clients: also if the remote side is
 * outside the target's segment.
 *
 * Source: GASNet 1, "Non-contiguous transfers" (prototype extension).
 *
 * The caller sees to it that:
 * The described memory is mapped for the time stated above; during that time no other thread or operation accesses
 * memory that is written.
 */
void gasnet_gets_bulk(void *dstaddr,
                      const size_t *dststrides,
                      gasnet_node_t srcnode,
                      void *srcaddr,
                      const size_t *srcstrides,
                      const size_t *count,
                      size_t stridelevels);

/**
 * Starts to copy a strided region from 'srcnode' to local memory.
 *
 * The arrays of strides and counts may be reused on return. The destination is undefined until the operation is
 * synchronised. May run AM handlers; must not be called from one.
 *
 * 'count[0]' contiguous bytes are copied for every combination of indices below 'count[1]' to
 * 'count[stridelevels]'; index i adds 'dststrides[i-1]' and 'srcstrides[i-1]' bytes to the two addresses. A count
 * of 0 does nothing.
 *
 * Returns a handle, to be synchronised once; GASNET_INVALID_HANDLE if already complete.
 *
 * Ends the job if an array of strides or counts with entries is NULL; debug clients: also if the remote side is
 * outside the target's segment.
 *
 * Source: GASNet 1, "Non-contiguous transfers" (prototype extension).
 *
 * The caller sees to it that:
 * The described memory is mapped for the time stated above; during that time no other thread or operation accesses
 * memory that is written.
 */
gasnet_handle_t gasnet_gets_nb_bulk(void *dstaddr,
                                    const size_t *dststrides,
                                    gasnet_node_t srcnode,
                                    void *srcaddr,
                                    const size_t *srcstrides,
                                    const size_t *count,
                                    size_t stridelevels);

/**
 * Starts to copy a strided region from 'srcnode' to local memory, without a handle.
 *
 * The arrays of strides and counts may be reused on return. The destination is undefined until the operation is
 * synchronised. May run AM handlers; must not be called from one.
 *
 * 'count[0]' contiguous bytes are copied for every combination of indices below 'count[1]' to
 * 'count[stridelevels]'; index i adds 'dststrides[i-1]' and 'srcstrides[i-1]' bytes to the two addresses. A count
 * of 0 does nothing.
 *
 * Ends the job if an array of strides or counts with entries is NULL; debug clients: also if the remote side is
 * outside the target's segment.
 *
 * Source: GASNet 1, "Non-contiguous transfers" (prototype extension).
 *
 * The caller sees to it that:
 * The described memory is mapped for the time stated above; during that time no other thread or operation accesses
 * memory that is written.
 */
void gasnet_gets_nbi_bulk(void *dstaddr,
                          const size_t *dststrides,
                          gasnet_node_t srcnode,
                          void *srcaddr,
                          const size_t *srcstrides,
                          const size_t *count,
                          size_t stridelevels);

/**
 * Copies a local strided region to 'dstrank' of 'tm', and waits.
 *
 * Blocks, and may run AM handlers; must not be called from a handler.
 *
 * 'elemsz' contiguous bytes are copied for every combination of indices below 'count[0]' to
 * 'count[stridelevels-1]'; index i adds 'dststrides[i]' and 'srcstrides[i]' bytes to the two addresses. Strides
 * may be negative, and in any order. A count or an 'elemsz' of 0 does nothing.
 *
 * Returns 0; nonzero only with GEX_FLAG_IMMEDIATE, if resources were exhausted and the operation was not started.
 *
 * Ends the job if an array of strides or counts with entries is NULL; debug clients: also if the remote side is
 * outside the target's segment.
 *
 * Source: GASNet-EX 0.19, "Vector/Indexed/Strided (VIS)".
 *
 * The caller sees to it that:
 * The described memory is mapped for the time stated above; during that time no other thread or operation accesses
 * memory that is written.
 */
int gex_VIS_StridedPutBlocking(gex_TM_t tm,
                               gex_Rank_t dstrank,
                               void *dstaddr,
                               const ptrdiff_t *dststrides,
                               void *srcaddr,
                               const ptrdiff_t *srcstrides,
                               size_t elemsz,
                               const size_t *count,
                               size_t stridelevels,
                               gex_Flags_t flags);

/**
 * Starts to copy a local strided region to 'dstrank' of 'tm'.
 *
 * The arrays of strides and counts may be reused on return. The source must not be changed until the operation is
 * synchronised; with GEX_FLAG_ENABLE_LEAF_LC, until gex_Event_QueryLeaf(event, GEX_EC_LC) is synchronised. May run
 * AM handlers; must not be called from one.
 *
 * 'elemsz' contiguous bytes are copied for every combination of indices below 'count[0]' to
 * 'count[stridelevels-1]'; index i adds 'dststrides[i]' and 'srcstrides[i]' bytes to the two addresses. Strides
 * may be negative, and in any order. A count or an 'elemsz' of 0 does nothing.
 *
 * Returns the operation's event; GEX_EVENT_INVALID if it is already complete; GEX_EVENT_NO_OP only with
 * GEX_FLAG_IMMEDIATE, if resources were exhausted and the operation was not started.
 *
 * Ends the job if an array of strides or counts with entries is NULL; debug clients: also if the remote side is
 * outside the target's segment.
 *
 * Source: GASNet-EX 0.19, "Vector/Indexed/Strided (VIS)".
 *
 * The caller sees to it that:
 * The described memory is mapped for the time stated above; during that time no other thread or operation accesses
 * memory that is written.
 */
gex_Event_t gex_VIS_StridedPutNB(gex_TM_t tm,
                                 gex_Rank_t dstrank,
                                 void *dstaddr,
                                 const ptrdiff_t *dststrides,
                                 void *srcaddr,
                                 const ptrdiff_t *srcstrides,
                                 size_t elemsz,
                                 const size_t *count,
                                 size_t stridelevels,
                                 gex_Flags_t flags);

/**
 * Starts to copy a local strided region to 'dstrank' of 'tm', as an implicit operation of this thread.
 *
 * The arrays of strides and counts may be reused on return. The source must not be changed until the operation is
 * synchronised; with GEX_FLAG_ENABLE_LEAF_LC, until GEX_EC_LC is synchronised. May run AM handlers; must not be
 * called from one.
 *
 * 'elemsz' contiguous bytes are copied for every combination of indices below 'count[0]' to
 * 'count[stridelevels-1]'; index i adds 'dststrides[i]' and 'srcstrides[i]' bytes to the two addresses. Strides
 * may be negative, and in any order. A count or an 'elemsz' of 0 does nothing.
 *
 * Returns 0; nonzero only with GEX_FLAG_IMMEDIATE, if resources were exhausted and the operation was not started.
 *
 * Ends the job if an array of strides or counts with entries is NULL; debug clients: also if the remote side is
 * outside the target's segment.
 *
 * Source: GASNet-EX 0.19, "Vector/Indexed/Strided (VIS)".
 *
 * The caller sees to it that:
 * The described memory is mapped for the time stated above; during that time no other thread or operation accesses
 * memory that is written.
 */
int gex_VIS_StridedPutNBI(gex_TM_t tm,
                          gex_Rank_t dstrank,
                          void *dstaddr,
                          const ptrdiff_t *dststrides,
                          void *srcaddr,
                          const ptrdiff_t *srcstrides,
                          size_t elemsz,
                          const size_t *count,
                          size_t stridelevels,
                          gex_Flags_t flags);

/**
 * Copies a strided region from 'srcrank' of 'tm' to local memory, and waits.
 *
 * Blocks, and may run AM handlers; must not be called from a handler.
 *
 * 'elemsz' contiguous bytes are copied for every combination of indices below 'count[0]' to
 * 'count[stridelevels-1]'; index i adds 'dststrides[i]' and 'srcstrides[i]' bytes to the two addresses. Strides
 * may be negative, and in any order. A count or an 'elemsz' of 0 does nothing.
 *
 * Returns 0; nonzero only with GEX_FLAG_IMMEDIATE, if resources were exhausted and the operation was not started.
 *
 * Ends the job if an array of strides or counts with entries is NULL; debug clients: also if the remote side is
 * outside the target's segment.
 *
 * Source: GASNet-EX 0.19, "Vector/Indexed/Strided (VIS)".
 *
 * The caller sees to it that:
 * The described memory is mapped for the time stated above; during that time no other thread or operation accesses
 * memory that is written.
 */
int gex_VIS_StridedGetBlocking(gex_TM_t tm,
                               void *dstaddr,
                               const ptrdiff_t *dststrides,
                               gex_Rank_t srcrank,
                               void *srcaddr,
                               const ptrdiff_t *srcstrides,
                               size_t elemsz,
                               const size_t *count,
                               size_t stridelevels,
                               gex_Flags_t flags);

/**
 * Starts to copy a strided region from 'srcrank' of 'tm' to local memory.
 *
 * The arrays of strides and counts may be reused on return. The destination is undefined until the operation is
 * synchronised. May run AM handlers; must not be called from one.
 *
 * 'elemsz' contiguous bytes are copied for every combination of indices below 'count[0]' to
 * 'count[stridelevels-1]'; index i adds 'dststrides[i]' and 'srcstrides[i]' bytes to the two addresses. Strides
 * may be negative, and in any order. A count or an 'elemsz' of 0 does nothing.
 *
 * Returns the operation's event; GEX_EVENT_INVALID if it is already complete; GEX_EVENT_NO_OP only with
 * GEX_FLAG_IMMEDIATE, if resources were exhausted and the operation was not started.
 *
 * Ends the job if an array of strides or counts with entries is NULL; debug clients: also if the remote side is
 * outside the target's segment.
 *
 * Source: GASNet-EX 0.19, "Vector/Indexed/Strided (VIS)".
 *
 * The caller sees to it that:
 * The described memory is mapped for the time stated above; during that time no other thread or operation accesses
 * memory that is written.
 */
gex_Event_t gex_VIS_StridedGetNB(gex_TM_t tm,
                                 void *dstaddr,
                                 const ptrdiff_t *dststrides,
                                 gex_Rank_t srcrank,
                                 void *srcaddr,
                                 const ptrdiff_t *srcstrides,
                                 size_t elemsz,
                                 const size_t *count,
                                 size_t stridelevels,
                                 gex_Flags_t flags);

/**
 * Starts to copy a strided region from 'srcrank' of 'tm' to local memory, as an implicit operation of this thread.
 *
 * The arrays of strides and counts may be reused on return. The destination is undefined until the operation is
 * synchronised. May run AM handlers; must not be called from one.
 *
 * 'elemsz' contiguous bytes are copied for every combination of indices below 'count[0]' to
 * 'count[stridelevels-1]'; index i adds 'dststrides[i]' and 'srcstrides[i]' bytes to the two addresses. Strides
 * may be negative, and in any order. A count or an 'elemsz' of 0 does nothing.
 *
 * Returns 0; nonzero only with GEX_FLAG_IMMEDIATE, if resources were exhausted and the operation was not started.
 *
 * Ends the job if an array of strides or counts with entries is NULL; debug clients: also if the remote side is
 * outside the target's segment.
 *
 * Source: GASNet-EX 0.19, "Vector/Indexed/Strided (VIS)".
 *
 * The caller sees to it that:
 * The described memory is mapped for the time stated above; during that time no other thread or operation accesses
 * memory that is written.
 */
int gex_VIS_StridedGetNBI(gex_TM_t tm,
                          void *dstaddr,
                          const ptrdiff_t *dststrides,
                          gex_Rank_t srcrank,
                          void *srcaddr,
                          const ptrdiff_t *srcstrides,
                          size_t elemsz,
                          const size_t *count,
                          size_t stridelevels,
                          gex_Flags_t flags);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* GASNETI_ABI_H */
