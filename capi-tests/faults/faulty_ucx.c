/* The shim of conduit ucx over a UCX that fails: a call (fault.h) returns the error FAULT_CODE, of `codes`; or, with FAULT_CALL=abort, a call of
 * ucp_worker_progress aborts, and with FAULT_CALL=abort_of_survivors it does once the file FAULT_ONCE is there (traffic.c). */
#define _GNU_SOURCE
#include <ucp/api/ucp.h>

#include "fault.h"

static const struct { const char *name; ucs_status_t code; } codes[] = {
  {"NO_MEMORY", UCS_ERR_NO_MEMORY}, {"UNSUPPORTED", UCS_ERR_UNSUPPORTED}, {"IO_ERROR", UCS_ERR_IO_ERROR}, {"UNREACHABLE", UCS_ERR_UNREACHABLE},
  {"NO_DEVICE", UCS_ERR_NO_DEVICE}, {"INVALID_PARAM", UCS_ERR_INVALID_PARAM},
};

static ucs_status_t fault_code(void) {
  const char *name = getenv("FAULT_CODE");
  for (size_t i = 0; name && i < sizeof codes / sizeof *codes; i++)
    if (!strcmp(codes[i].name, name)) return codes[i].code;
  return UCS_ERR_IO_ERROR;
}

static void may_abort(void) {
  const char *call = getenv("FAULT_CALL"), *once = getenv("FAULT_ONCE");
  if (fails("abort") || (call && once && !strcmp(call, "abort_of_survivors") && !access(once, F_OK))) abort();
}

#define FAULT(name, call) (fails(#name) ? fault_code() : (call))
#define FAULT_BEGUN(name, call) (fails(#name) ? UCS_STATUS_PTR(fault_code()) : (call))

#define ucp_init_version(...) FAULT(ucp_init_version, ucp_init_version(__VA_ARGS__))
#define ucp_worker_create(...) FAULT(ucp_worker_create, ucp_worker_create(__VA_ARGS__))
#define ucp_ep_create(...) FAULT(ucp_ep_create, ucp_ep_create(__VA_ARGS__))
#define ucp_mem_map(...) FAULT(ucp_mem_map, ucp_mem_map(__VA_ARGS__))
#define ucp_rkey_pack(...) FAULT(ucp_rkey_pack, ucp_rkey_pack(__VA_ARGS__))
#define ucp_ep_rkey_unpack(...) FAULT(ucp_ep_rkey_unpack, ucp_ep_rkey_unpack(__VA_ARGS__))
#define ucp_am_send_nbx(...) FAULT_BEGUN(ucp_am_send_nbx, ucp_am_send_nbx(__VA_ARGS__))
#define ucp_am_recv_data_nbx(...) FAULT_BEGUN(ucp_am_recv_data_nbx, ucp_am_recv_data_nbx(__VA_ARGS__))
#define ucp_put_nbx(...) FAULT_BEGUN(ucp_put_nbx, ucp_put_nbx(__VA_ARGS__))
#define ucp_get_nbx(...) FAULT_BEGUN(ucp_get_nbx, ucp_get_nbx(__VA_ARGS__))
#define ucp_atomic_op_nbx(...) FAULT_BEGUN(ucp_atomic_op_nbx, ucp_atomic_op_nbx(__VA_ARGS__))
#define ucp_ep_flush_nbx(...) FAULT_BEGUN(ucp_ep_flush_nbx, ucp_ep_flush_nbx(__VA_ARGS__))
#define ucp_worker_progress(worker) (may_abort(), ucp_worker_progress(worker))

#include "ucx.c"
