/* The shim of conduit ofi over a libfabric that fails: a call (fault.h) returns the error FAULT_CODE, of `codes`. FAULT_CALL may be a completion,
 * too: `completion:atomic` or `completion:get`, whose error is FAULT_CODE, or `overrun`, an error of the queue that names no operation. Registrations of
 * more than FAULT_MOST bytes are refused with FI_EINVAL; those of more than 1 MiB wait FAULT_SLEEP seconds first. */
#define _GNU_SOURCE
#include <rdma/fabric.h>
#include <rdma/fi_atomic.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>

#include "fault.h"

static const struct { const char *name; int code; } codes[] = {
  {"ENOMEM", FI_ENOMEM}, {"EOPNOTSUPP", FI_EOPNOTSUPP}, {"EIO", FI_EIO}, {"EOVERRUN", FI_EOVERRUN}, {"EINVAL", FI_EINVAL}, {"ENOKEY", FI_ENOKEY}, {"ENODEV", FI_ENODEV},
};

static int fault_code(void) {
  const char *name = getenv("FAULT_CODE");
  for (size_t i = 0; name && i < sizeof codes / sizeof *codes; i++)
    if (!strcmp(codes[i].name, name)) return codes[i].code;
  return FI_EIO;
}

#define FAULT(name, call) (fails(#name) ? -fault_code() : (call))

static int too_long(size_t bytes) {
  const char *most = getenv("FAULT_MOST"), *seconds = getenv("FAULT_SLEEP");
  if (seconds && bytes > 1 << 20) sleep((unsigned)atoi(seconds));
  return most && bytes > strtoull(most, NULL, 0);
}

/* The entry whose completion fails. */
static struct fi_cq_data_entry failed_entry;
static int is_failing, is_overrun;

static int fails_with(uint64_t flags) {
  if (fails("overrun")) return is_overrun = 1;
  return ((flags & FI_ATOMIC) && fails("completion:atomic")) || ((flags & FI_READ) && !(flags & FI_ATOMIC) && fails("completion:get"));
}

static ssize_t faulty_cq_read(struct fid_cq *queue, void *to, size_t most) {
  struct fi_cq_data_entry *found = to;
  if (!getenv("FAULT_CALL")) return fi_cq_read(queue, to, most);
  if (is_failing || is_overrun) return -FI_EAVAIL;
  ssize_t count = fi_cq_read(queue, to, 1);
  if (count != 1 || !fails_with(found->flags)) return count;
  failed_entry = *found, is_failing = 1;
  return -FI_EAVAIL;
}

static ssize_t faulty_cq_readerr(struct fid_cq *queue, struct fi_cq_err_entry *to, uint64_t flags) {
  if (is_overrun) {
    to->err = FI_EOVERRUN;
    return 1;
  }
  if (!is_failing) return fi_cq_readerr(queue, to, flags);
  is_failing = 0;
  to->op_context = failed_entry.op_context, to->flags = failed_entry.flags, to->err = fault_code();
  return 1;
}

#define fi_cq_read faulty_cq_read
#define fi_cq_readerr faulty_cq_readerr
#define fi_mr_reg(domain, start, bytes, ...) (too_long(bytes) ? -FI_EINVAL : FAULT(fi_mr_reg, fi_mr_reg(domain, start, bytes, __VA_ARGS__)))
#define fi_getinfo(...) FAULT(fi_getinfo, fi_getinfo(__VA_ARGS__))
#define fi_domain(...) FAULT(fi_domain, fi_domain(__VA_ARGS__))
#define fi_cq_open(...) FAULT(fi_cq_open, fi_cq_open(__VA_ARGS__))
#define fi_endpoint(...) FAULT(fi_endpoint, fi_endpoint(__VA_ARGS__))
#define fi_enable(...) FAULT(fi_enable, fi_enable(__VA_ARGS__))
#define fi_av_insert(...) FAULT(fi_av_insert, fi_av_insert(__VA_ARGS__))
#define fi_recvmsg(...) FAULT(fi_recvmsg, fi_recvmsg(__VA_ARGS__))
#define fi_send(...) FAULT(fi_send, fi_send(__VA_ARGS__))
#define fi_inject(...) FAULT(fi_inject, fi_inject(__VA_ARGS__))
#define fi_writemsg(...) FAULT(fi_writemsg, fi_writemsg(__VA_ARGS__))
#define fi_read(...) FAULT(fi_read, fi_read(__VA_ARGS__))
#define fi_fetch_atomic(...) FAULT(fi_fetch_atomic, fi_fetch_atomic(__VA_ARGS__))
#define fi_compare_atomic(...) FAULT(fi_compare_atomic, fi_compare_atomic(__VA_ARGS__))
#define fi_atomicmsg(...) FAULT(fi_atomicmsg, fi_atomicmsg(__VA_ARGS__))

#include "ofi.c"
