/* The shim of conduit ucx: ucx_shim.h over UCP, the protocols of UCX. */
#define _GNU_SOURCE
#include "ucx_shim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucp/api/ucp.h>

_Static_assert(UCP_API_MAJOR == 1 && UCP_API_MINOR >= 10, "UCX 1.10 is the first with all functions that are used here");

/* The one Active Message of UCX. */
enum { MESSAGES = 0 };
/* The owner of received bytes: UCX, or a block of this port. */
enum { OF_UCX, OF_PORT };
/* Of bytes that UCX does not keep, those up to this many go to the area that each `progress` starts again, others to a block. */
enum { FEW = 512, AREA = 64 << 10, BLOCK = 16 << 10, ALIGNMENT = 16 };

struct block {
  struct block *next;
  size_t bytes;
  _Alignas(ALIGNMENT) char data[];
};

struct events {
  struct gasneti_ucx_event *at;
  size_t count, room;
};

struct gasneti_ucx_port {
  /* Of the library, whose allocator does not call malloc in handlers that may have interrupted it. */
  void *(*memory)(size_t bytes);
  void (*give_back)(void *memory, size_t bytes);
  ucp_context_h context;
  ucp_worker_h worker;
  ucp_address_t *address;
  size_t address_bytes, longest_header;
  int descriptor;
  /* Events for the next `progress`, and those that the last one has returned: calls that are made while these are read may add others. */
  struct events next, given;
  /* Areas for short messages. */
  char **areas;
  size_t areas_count, area, used;
  struct block *free_blocks;
  /* Of the present `progress`. */
  gasneti_ucx_take *take;
  void *taker;
};

struct gasneti_ucx_peer {
  ucp_ep_h ep;
  gasneti_ucx_port *port;
  uint64_t tag;
};

static void *sure(void *memory) {
  if (!memory) abort();
  return memory;
}

static const char *library_version(void) { return ucp_get_version_string(); }

static const char *error_text(int status) { return ucs_status_string((ucs_status_t)status); }

/* A block of `bytes` that begins as `old` of `old_bytes`, which is given back. */
static void *grown(gasneti_ucx_port *port, void *old, size_t old_bytes, size_t bytes) {
  void *memory = sure(port->memory(bytes));
  if (old) {
    memcpy(memory, old, old_bytes);
    port->give_back(old, old_bytes);
  }
  return memory;
}

static struct gasneti_ucx_event *add_event(gasneti_ucx_port *port, int what) {
  struct events *next = &port->next;
  if (next->count == next->room) {
    next->room = next->room ? 2 * next->room : 256;
    next->at = grown(port, next->at, next->count * sizeof *next->at, next->room * sizeof *next->at);
  }
  struct gasneti_ucx_event *event = &next->at[next->count++];
  *event = (struct gasneti_ucx_event){.what = (uint16_t)what};
  return event;
}

/* Memory until the next `progress`. */
static void *in_area(gasneti_ucx_port *port, size_t bytes) {
  bytes = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  if (port->areas_count == 0 || port->used + bytes > AREA) {
    if (port->areas_count != 0) port->area++;
    if (port->area == port->areas_count) {
      size_t count = port->areas_count++;
      port->areas = grown(port, port->areas, count * sizeof *port->areas, port->areas_count * sizeof *port->areas);
      port->areas[count] = sure(port->memory(AREA));
    }
    port->used = 0;
  }
  void *at = port->areas[port->area] + port->used;
  port->used += bytes;
  return at;
}

static void *in_block(gasneti_ucx_port *port, size_t bytes) {
  struct block *block = port->free_blocks;
  if (bytes <= BLOCK && block) {
    port->free_blocks = block->next;
  } else {
    size_t most = bytes <= BLOCK ? BLOCK : bytes;
    block = sure(port->memory(sizeof *block + most));
    block->bytes = most;
  }
  return block->data;
}

static void release(gasneti_ucx_port *port, void *data, int owner) {
  if (owner == OF_UCX) {
    ucp_am_data_release(port->worker, data);
    return;
  }
  struct block *block = (struct block *)((char *)data - offsetof(struct block, data));
  if (block->bytes == BLOCK) {
    block->next = port->free_blocks;
    port->free_blocks = block;
  } else {
    port->give_back(block, sizeof *block + block->bytes);
  }
}

static ucs_status_t on_message(void *arg, const void *header, size_t header_bytes, void *data, size_t bytes, const ucp_am_recv_param_t *param) {
  gasneti_ucx_port *port = arg;
  int is_bulk = (param->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV) != 0;
  int stays = is_bulk || (param->recv_attr & UCP_AM_RECV_ATTR_FLAG_DATA);
  /* The first one only, so that UCX soon reads the next of a burst; and not before messages that wait. */
  int may_take = port->take && !header_bytes && !is_bulk && bytes != 0 && bytes <= FEW && port->next.count == 0;
  if (may_take && port->take(port->taker, data, bytes)) {
    port->take = NULL;
    return UCS_OK;
  }
  struct gasneti_ucx_event *event = add_event(port, is_bulk ? GASNETI_UCX_BULK : GASNETI_UCX_HELD);
  event->bytes = bytes;
  if (header_bytes) {
    event->header = memcpy(in_area(port, header_bytes), header, header_bytes);
    event->header_bytes = (uint32_t)header_bytes;
  }
  if (stays) {
    event->data = data;
    event->owner = OF_UCX;
    return UCS_INPROGRESS;
  }
  if (bytes <= FEW) {
    event->what = GASNETI_UCX_MESSAGE;
    event->data = memcpy(in_area(port, bytes), data, bytes);
  } else {
    event->data = memcpy(in_block(port, bytes), data, bytes);
    event->owner = OF_PORT;
  }
  return UCS_OK;
}

static void ended(gasneti_ucx_port *port, void *request, ucs_status_t status, uint64_t tag) {
  struct gasneti_ucx_event *event = add_event(port, GASNETI_UCX_ENDED);
  event->tag = tag;
  event->status = status;
  ucp_request_free(request);
}

/* The port of this thread's present call of UCX, in which any of its operations may end. Each call sets it, so without a call of the dynamic linker; the C
   library keeps room for a few words of such libraries that are loaded late. */
static _Thread_local gasneti_ucx_port *calling __attribute__((tls_model("initial-exec")));

static void on_end(void *request, ucs_status_t status, void *tag) { ended(calling, request, status, (uint64_t)(uintptr_t)tag); }

static void on_received(void *request, ucs_status_t status, size_t bytes, void *tag) {
  (void)bytes;
  on_end(request, status, tag);
}

static void on_failure(void *arg, ucp_ep_h ep, ucs_status_t status) {
  gasneti_ucx_peer *peer = arg;
  (void)ep;
  struct gasneti_ucx_event *event = add_event(peer->port, GASNETI_UCX_FAILED);
  event->tag = peer->tag;
  event->status = status;
}

static int open_port(const struct gasneti_ucx_options *options, gasneti_ucx_port **to, const char **stage) {
  unsigned major, minor, release_number;
  ucp_config_t *config;
  gasneti_ucx_port *port = sure(calloc(1, sizeof *port));
  port->descriptor = -1;
  port->memory = options->memory;
  port->give_back = options->give_back;
  ucp_get_version(&major, &minor, &release_number);
  *stage = "ucp_config_read";
  ucs_status_t status = ucp_config_read(NULL, NULL, &config);
  if (status != UCS_OK) return status;
  ucp_params_t params = {
    .field_mask = UCP_PARAM_FIELD_FEATURES | UCP_PARAM_FIELD_MT_WORKERS_SHARED | UCP_PARAM_FIELD_ESTIMATED_NUM_EPS | UCP_PARAM_FIELD_ESTIMATED_NUM_PPN,
    .features = UCP_FEATURE_AM | UCP_FEATURE_RMA | UCP_FEATURE_AMO32 | UCP_FEATURE_AMO64 | (options->wakes ? UCP_FEATURE_WAKEUP : 0),
    .mt_workers_shared = 0,
    .estimated_num_eps = options->peers,
    .estimated_num_ppn = options->peers_here,
  };
  *stage = "ucp_init";
  /* The interface of the library that is loaded, which may be older than the headers. */
  status = ucp_init_version(major, minor, &params, config, &port->context);
  ucp_config_release(config);
  if (status != UCS_OK) return status;
  ucp_worker_params_t of_worker = {
    .field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE,
    .thread_mode = UCS_THREAD_MODE_SERIALIZED,
  };
#if UCP_API_MINOR >= 12
  if (minor >= 12) {
    of_worker.field_mask |= UCP_WORKER_PARAM_FIELD_AM_ALIGNMENT;
    of_worker.am_alignment = ALIGNMENT;
  }
#endif
  *stage = "ucp_worker_create";
  status = ucp_worker_create(port->context, &of_worker, &port->worker);
  if (status != UCS_OK) return status;
  ucp_worker_attr_t attr = {.field_mask = UCP_WORKER_ATTR_FIELD_MAX_AM_HEADER};
  *stage = "ucp_worker_query";
  status = ucp_worker_query(port->worker, &attr);
  if (status != UCS_OK) return status;
  port->longest_header = attr.max_am_header;
  ucp_am_handler_param_t handler = {
    .field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_CB | UCP_AM_HANDLER_PARAM_FIELD_ARG,
    .id = MESSAGES,
    .cb = on_message,
    .arg = port,
  };
  *stage = "ucp_worker_set_am_recv_handler";
  status = ucp_worker_set_am_recv_handler(port->worker, &handler);
  if (status != UCS_OK) return status;
  if (options->wakes) {
    *stage = "ucp_worker_get_efd";
    status = ucp_worker_get_efd(port->worker, &port->descriptor);
    if (status != UCS_OK) return status;
  }
  *stage = "ucp_worker_get_address";
  status = ucp_worker_get_address(port->worker, &port->address, &port->address_bytes);
  if (status != UCS_OK) return status;
  *to = port;
  return 0;
}

static int address(gasneti_ucx_port *port, const void **at, size_t *bytes) {
  *at = port->address;
  *bytes = port->address_bytes;
  return 0;
}

static size_t longest_header(gasneti_ucx_port *port) { return port->longest_header; }

static int descriptor(gasneti_ucx_port *port) { return port->descriptor; }

static int arm(gasneti_ucx_port *port) {
  if (port->next.count) return 0;
  ucs_status_t status = ucp_worker_arm(port->worker);
  return status == UCS_OK ? 1 : status == UCS_ERR_BUSY ? 0 : status;
}

static int connect_to(gasneti_ucx_port *port, const void *to, uint64_t tag, int detects, gasneti_ucx_peer **made) {
  gasneti_ucx_peer *peer = sure(calloc(1, sizeof *peer));
  peer->port = port;
  peer->tag = tag;
  ucp_ep_params_t params = {
    .field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS | UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE | UCP_EP_PARAM_FIELD_ERR_HANDLER,
    .address = to,
    .err_mode = detects ? UCP_ERR_HANDLING_MODE_PEER : UCP_ERR_HANDLING_MODE_NONE,
    .err_handler = {.cb = on_failure, .arg = peer},
  };
  ucs_status_t status = ucp_ep_create(port->worker, &params, &peer->ep);
  if (status != UCS_OK) {
    free(peer);
    return status;
  }
  *made = peer;
  return 0;
}

static void drop(gasneti_ucx_peer *peer) {
  ucp_request_param_t param = {.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS, .flags = UCP_EP_CLOSE_FLAG_FORCE};
  calling = peer->port;
  void *request = ucp_ep_close_nbx(peer->ep, &param);
  if (request && !UCS_PTR_IS_ERR(request)) ucp_request_free(request);
}

static char *describe(gasneti_ucx_port *port, gasneti_ucx_peer *peer) {
  char *text = NULL;
  size_t bytes = 0;
  FILE *stream = open_memstream(&text, &bytes);
  if (!stream) return NULL;
  if (peer) ucp_ep_print_info(peer->ep, stream);
  else ucp_context_print_info(port->context, stream);
  fclose(stream);
  return text;
}

static void free_text(char *text) { free(text); }

static size_t progress(gasneti_ucx_port *port, gasneti_ucx_take *take, void *taker, const struct gasneti_ucx_event **events) {
  /* Events that other calls have added name nothing in the areas. */
  port->area = port->used = 0;
  calling = port;
  port->take = take;
  port->taker = taker;
  ucp_worker_progress(port->worker);
  port->take = NULL;
  if (port->next.count == 0) return 0;
  struct events read = port->given;
  port->given = port->next;
  port->next = read;
  port->next.count = 0;
  *events = port->given.at;
  return port->given.count;
}

static int outcome(ucs_status_ptr_t result) {
  if (!result) return GASNETI_UCX_DONE;
  return UCS_PTR_IS_ERR(result) ? UCS_PTR_STATUS(result) : GASNETI_UCX_STARTED;
}

#define PARAM(CALLBACK, TAG)                                                              \
  {                                                                                       \
    .op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA, CALLBACK,   \
    .user_data = (void *)(uintptr_t)(TAG)                                                 \
  }

static int send_message(gasneti_ucx_peer *peer, const void *header, size_t header_bytes, const void *data, size_t bytes, uint64_t tag) {
  calling = peer->port;
  ucp_request_param_t param = PARAM(.cb.send = on_end, tag);
  return outcome(ucp_am_send_nbx(peer->ep, MESSAGES, header, header_bytes, data, bytes, &param));
}

static int receive(gasneti_ucx_port *port, void *bulk, void *buffer, size_t bytes, uint64_t tag) {
  calling = port;
  ucp_request_param_t param = PARAM(.cb.recv_am = on_received, tag);
  return outcome(ucp_am_recv_data_nbx(port->worker, bulk, buffer, bytes, &param));
}

static int map(gasneti_ucx_port *port, void *start, size_t bytes, gasneti_ucx_memory **memory) {
  ucp_mem_map_params_t params = {
    .field_mask = UCP_MEM_MAP_PARAM_FIELD_ADDRESS | UCP_MEM_MAP_PARAM_FIELD_LENGTH,
    .address = start,
    .length = bytes,
  };
  ucp_mem_h mapped;
  ucs_status_t status = ucp_mem_map(port->context, &params, &mapped);
  if (status == UCS_OK) *memory = mapped;
  return status;
}

static void unmap(gasneti_ucx_port *port, gasneti_ucx_memory *memory) { ucp_mem_unmap(port->context, memory); }

static int pack(gasneti_ucx_port *port, gasneti_ucx_memory *memory, void *key, size_t most) {
  void *packed;
  size_t bytes;
  ucs_status_t status = ucp_rkey_pack(port->context, memory, &packed, &bytes);
  if (status != UCS_OK) return status;
  if (bytes <= most) memcpy(key, packed, bytes);
  ucp_rkey_buffer_release(packed);
  return (int)bytes;
}

static int unpack(gasneti_ucx_peer *peer, const void *packed, gasneti_ucx_key **key) {
  ucp_rkey_h made;
  ucs_status_t status = ucp_ep_rkey_unpack(peer->ep, packed, &made);
  if (status == UCS_OK) *key = made;
  return status;
}

static void forget(gasneti_ucx_key *key) { ucp_rkey_destroy(key); }

static int put(gasneti_ucx_peer *peer, const void *src, size_t bytes, uint64_t dst, gasneti_ucx_key *key, int only_now, uint64_t tag) {
  calling = peer->port;
  ucp_request_param_t param = PARAM(.cb.send = on_end, tag);
  if (only_now) param.op_attr_mask |= UCP_OP_ATTR_FLAG_FORCE_IMM_CMPL;
  return outcome(ucp_put_nbx(peer->ep, src, bytes, dst, key, &param));
}

static int get(gasneti_ucx_peer *peer, void *dst, size_t bytes, uint64_t src, gasneti_ucx_key *key, uint64_t tag) {
  calling = peer->port;
  ucp_request_param_t param = PARAM(.cb.send = on_end, tag);
  return outcome(ucp_get_nbx(peer->ep, dst, bytes, src, key, &param));
}

static int atomic(gasneti_ucx_peer *peer, int op, int bytes, uint64_t at, gasneti_ucx_key *key, uint64_t *words, uint64_t tag) {
  calling = peer->port;
  static const ucp_atomic_op_t ops[] = {UCP_ATOMIC_OP_ADD, UCP_ATOMIC_OP_SWAP, UCP_ATOMIC_OP_CSWAP, UCP_ATOMIC_OP_AND, UCP_ATOMIC_OP_OR, UCP_ATOMIC_OP_XOR};
  ucp_request_param_t param = PARAM(.cb.send = on_end, tag);
  param.op_attr_mask |= UCP_OP_ATTR_FIELD_DATATYPE | UCP_OP_ATTR_FIELD_REPLY_BUFFER;
  param.datatype = ucp_dt_make_contig((size_t)bytes);
  param.reply_buffer = &words[1];
  return outcome(ucp_atomic_op_nbx(peer->ep, ops[op], &words[0], 1, at, key, &param));
}

static int flush(gasneti_ucx_peer *peer, uint64_t tag) {
  calling = peer->port;
  ucp_request_param_t param = PARAM(.cb.send = on_end, tag);
  return outcome(ucp_ep_flush_nbx(peer->ep, &param));
}

static const struct gasneti_ucx_shim shim = {
  GASNETI_UCX_SHIM_VERSION, sizeof shim, UCP_API_MAJOR, UCP_API_MINOR, library_version, error_text,
  open_port, address, longest_header, descriptor, arm, connect_to, drop, describe, free_text,
  progress, release, send_message, receive, map, unmap, pack, unpack, forget, put, get, atomic, flush
};

__attribute__((visibility("default"))) const struct gasneti_ucx_shim *gasneti_ucx_shim(void) { return &shim; }
