/* The shim of conduit ofi: ofi_shim.h over libfabric. */
#define _GNU_SOURCE
#include "ofi_shim.h"

#include <netinet/in.h>
#include <rdma/fabric.h>
#include <rdma/fi_atomic.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The oldest interface that has all that is used here. */
#define API FI_VERSION(1, 9)
#ifdef FI_MR_BASIC
#define BASIC FI_MR_BASIC
#else
#define BASIC (FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY)
#endif
#define MODES (FI_CONTEXT | FI_CONTEXT2)
#define RMA (FI_RMA | FI_READ | FI_WRITE | FI_REMOTE_READ | FI_REMOTE_WRITE)
#define MOST_COMPLETIONS 32

struct gasneti_ofi_port {
  struct fi_info *info;
  struct fid_fabric *fabric;
  struct fid_domain *domain;
  struct fid_ep *ep;
  struct fid_cq *cq;
  struct fid_av *av;
  int wakes;
};

static const struct { int64_t bit; uint32_t ours; } mr_bits[] = {
  {FI_MR_LOCAL, GASNETI_OFI_MR_LOCAL},         {FI_MR_ENDPOINT, GASNETI_OFI_MR_ENDPOINT},   {FI_MR_PROV_KEY, GASNETI_OFI_MR_PROV_KEY},
  {FI_MR_VIRT_ADDR, GASNETI_OFI_MR_VIRT_ADDR}, {FI_MR_ALLOCATED, GASNETI_OFI_MR_ALLOCATED}, {FI_MR_RAW, GASNETI_OFI_MR_RAW},
  {FI_MR_MMU_NOTIFY, GASNETI_OFI_MR_MMU_NOTIFY}, {FI_MR_HMEM, GASNETI_OFI_MR_HMEM},
};
#define MR_BITS (sizeof mr_bits / sizeof *mr_bits)

static int64_t known_mr(void) {
  int64_t all = 0;
  for (size_t i = 0; i < MR_BITS; i++) all |= mr_bits[i].bit;
  return all;
}

/* FI_MR_BASIC stands for three bits. */
static int64_t mr_of(const struct fi_info *info) {
  int64_t mode = info->domain_attr->mr_mode;
#ifdef FI_MR_BASIC
  if (mode & FI_MR_BASIC) mode = (mode & ~(int64_t)FI_MR_BASIC) | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY;
  mode &= ~(int64_t)FI_MR_SCALABLE;
#endif
  return mode;
}

static uint32_t runs(void) { return fi_version(); }

static const char *error_text(int code) { return fi_strerror(code < 0 ? -code : code); }

static int ip_of(const struct fi_info *info, uint8_t *ip) {
  if (!info->src_addr) return 0;
  const struct sockaddr *address = info->src_addr;
  if (info->addr_format == FI_SOCKADDR_IN || (info->addr_format == FI_SOCKADDR && address->sa_family == AF_INET)) {
    memcpy(ip, &((const struct sockaddr_in *)address)->sin_addr, 4);
    return 4;
  }
  if (info->addr_format == FI_SOCKADDR_IN6 || (info->addr_format == FI_SOCKADDR && address->sa_family == AF_INET6)) {
    memcpy(ip, &((const struct sockaddr_in6 *)address)->sin6_addr, 16);
    return 16;
  }
  return 0;
}

static void copy_text(char *to, size_t bytes, const char *from) { snprintf(to, bytes, "%s", from ? from : ""); }

static void describe(const struct fi_info *info, struct gasneti_ofi_offer *offer) {
  memset(offer, 0, sizeof *offer);
  copy_text(offer->provider, sizeof offer->provider, info->fabric_attr->prov_name);
  copy_text(offer->fabric, sizeof offer->fabric, info->fabric_attr->name);
  copy_text(offer->domain, sizeof offer->domain, info->domain_attr->name);
  offer->ip_bytes = (uint32_t)ip_of(info, offer->ip);
  int64_t mr = mr_of(info);
  for (size_t i = 0; i < MR_BITS; i++) if (mr & mr_bits[i].bit) offer->mr_mode |= mr_bits[i].ours;
  if (mr & ~known_mr()) offer->mr_mode |= GASNETI_OFI_MR_OTHER;
  uint32_t caps = 0;
  if (info->caps & FI_MSG) caps |= GASNETI_OFI_MSG;
  if ((info->caps & FI_RMA) && (info->caps & FI_REMOTE_READ) && (info->caps & FI_REMOTE_WRITE)) caps |= GASNETI_OFI_RMA;
  if (info->caps & FI_ATOMIC) caps |= GASNETI_OFI_ATOMIC;
  if (info->caps & FI_MULTI_RECV) caps |= GASNETI_OFI_MULTI_RECV;
  if (info->caps & FI_COLLECTIVE) caps |= GASNETI_OFI_COLLECTIVE;
  if (info->ep_attr->type == FI_EP_RDM) caps |= GASNETI_OFI_RDM;
  if (!(info->mode & ~(uint64_t)MODES)) caps |= GASNETI_OFI_MODES;
  if (!(mr & ~known_mr())) caps |= GASNETI_OFI_MR_KNOWN;
  if (info->addr_format == FI_SOCKADDR || info->addr_format == FI_SOCKADDR_IN || info->addr_format == FI_SOCKADDR_IN6) caps |= GASNETI_OFI_SOCKADDR;
  offer->caps = caps;
  offer->inject = info->tx_attr->inject_size;
  offer->max_message = info->ep_attr->max_msg_size;
  offer->tx_size = (uint32_t)info->tx_attr->size;
  offer->rx_size = (uint32_t)info->rx_attr->size;
  offer->key_size = (uint32_t)info->domain_attr->mr_key_size;
  offer->has_auto_progress = info->domain_attr->data_progress == FI_PROGRESS_AUTO;
}

static struct fi_info *hints_of(const struct gasneti_ofi_wish *wish) {
  struct fi_info *hints = fi_allocinfo();
  if (!hints) return NULL;
  hints->mode = MODES;
  hints->ep_attr->type = FI_EP_RDM;
  hints->domain_attr->mr_mode = (int)(wish->basic ? BASIC : known_mr());
  hints->domain_attr->threading = FI_THREAD_DOMAIN;
  if (wish->provider) hints->fabric_attr->prov_name = strdup(wish->provider);
  if (wish->fabric) hints->fabric_attr->name = strdup(wish->fabric);
  if (wish->domain) hints->domain_attr->name = strdup(wish->domain);
  return hints;
}

static int fits(const struct gasneti_ofi_wish *wish, const struct fi_info *info) {
  uint8_t ip[16];
  if (!wish->ip_bytes) return 1;
  int bytes = ip_of(info, ip);
  return bytes == (int)wish->ip_bytes && !memcmp(ip, wish->ip, (size_t)bytes);
}

static int offers(const struct gasneti_ofi_wish *wish, struct gasneti_ofi_offer *to, int most) {
  struct fi_info *hints = hints_of(wish), *all = NULL;
  if (!hints) return -FI_ENOMEM;
  int code = fi_getinfo(API, NULL, NULL, 0, hints, &all), count = 0;
  fi_freeinfo(hints);
  if (code == -FI_ENODATA) return 0;
  if (code) return code;
  for (struct fi_info *info = all; info && count < most; info = info->next)
    if (fits(wish, info)) describe(info, &to[count++]);
  fi_freeinfo(all);
  return count;
}

static int close_port(gasneti_ofi_port *port) {
  if (port->ep) fi_close(&port->ep->fid);
  if (port->cq) fi_close(&port->cq->fid);
  if (port->av) fi_close(&port->av->fid);
  if (port->domain) fi_close(&port->domain->fid);
  if (port->fabric) fi_close(&port->fabric->fid);
  if (port->info) fi_freeinfo(port->info);
  free(port);
  return 0;
}

#define STEP(name, call) do { *step = name; int code_ = (int)(call); if (code_) return code_; } while (0)

/* Before the endpoint is enabled, this call crashes in provider shm of libfabric 1.17. */
static int least_room(gasneti_ofi_port *port, uint64_t bytes) {
  size_t least = bytes;
  return fi_setopt(&port->ep->fid, FI_OPT_ENDPOINT, FI_OPT_MIN_MULTI_RECV, &least, sizeof least);
}

static int open_on(gasneti_ofi_port *port, const struct gasneti_ofi_wish *wish, struct gasneti_ofi_facts *facts, const char **step) {
  struct fi_info *hints = hints_of(wish), *all = NULL, *info;
  *step = "fi_getinfo";
  if (!hints) return -FI_ENOMEM;
  hints->caps = FI_MSG | RMA | (wish->atomics ? FI_ATOMIC : 0) | (wish->multi_recv ? FI_MULTI_RECV : 0);
  int code = fi_getinfo(API, NULL, NULL, 0, hints, &all);
  fi_freeinfo(hints);
  if (code) return code;
  for (info = all; info && !fits(wish, info); info = info->next) {}
  if (info) port->info = fi_dupinfo(info);
  fi_freeinfo(all);
  if (!port->info) return -FI_ENODATA;
  info = port->info;
  STEP("fi_fabric", fi_fabric(info->fabric_attr, &port->fabric, NULL));
  STEP("fi_domain", fi_domain(port->fabric, info, &port->domain, NULL));
  struct fi_av_attr av = {.type = info->domain_attr->av_type};
  STEP("fi_av_open", fi_av_open(port->domain, &av, &port->av, NULL));
  struct fi_cq_attr cq = {.format = FI_CQ_FORMAT_DATA, .wait_obj = wish->wakes ? FI_WAIT_FD : FI_WAIT_NONE,
                          .size = info->tx_attr->size + info->rx_attr->size};
  code = fi_cq_open(port->domain, &cq, &port->cq, NULL);
  facts->wake = -1;
  if (!code && wish->wakes && !fi_control(&port->cq->fid, FI_GETWAIT, &facts->wake)) port->wakes = 1;
  if (code && wish->wakes) {
    cq.wait_obj = FI_WAIT_NONE;
    code = fi_cq_open(port->domain, &cq, &port->cq, NULL);
  }
  STEP("fi_cq_open", code);
  STEP("fi_endpoint", fi_endpoint(port->domain, info, &port->ep, NULL));
  STEP("fi_ep_bind", fi_ep_bind(port->ep, &port->av->fid, 0));
  STEP("fi_ep_bind", fi_ep_bind(port->ep, &port->cq->fid, FI_TRANSMIT | FI_RECV));
  /* From libfabric 2 on, ofi_rxm takes it before it is enabled only. */
  if (wish->multi_recv && FI_MAJOR(fi_version()) >= 2) (void)least_room(port, (uint64_t)wish->multi_recv);
  STEP("fi_enable", fi_enable(port->ep));
  describe(info, &facts->offer);
  size_t bytes = sizeof facts->address;
  STEP("fi_getname", fi_getname(&port->ep->fid, facts->address, &bytes));
  facts->address_bytes = (uint32_t)bytes;
  size_t shown = sizeof facts->offer.address;
  fi_av_straddr(port->av, facts->address, facts->offer.address, &shown);
  return 0;
}

static int open_port(const struct gasneti_ofi_wish *wish, gasneti_ofi_port **out, struct gasneti_ofi_facts *facts, const char **step) {
  gasneti_ofi_port *port = calloc(1, sizeof *port);
  *step = "calloc";
  if (!port) return -FI_ENOMEM;
  int code = open_on(port, wish, facts, step);
  if (code) close_port(port);
  else *out = port;
  return code;
}

static int insert(gasneti_ofi_port *port, const void *address, uint64_t *peer) {
  fi_addr_t to = FI_ADDR_UNSPEC;
  int count = fi_av_insert(port->av, address, 1, &to, 0, NULL);
  *peer = to;
  return count < 0 ? count : count == 1 ? 0 : -FI_EADDRNOTAVAIL;
}

static int receive(gasneti_ofi_port *port, void *buffer, uint64_t bytes, uint64_t descriptor, int is_multi, void *context) {
  struct iovec part = {buffer, bytes};
  void *descriptors = (void *)(uintptr_t)descriptor;
  struct fi_msg msg = {.msg_iov = &part, .desc = &descriptors, .iov_count = 1, .addr = FI_ADDR_UNSPEC, .context = context};
  return (int)fi_recvmsg(port->ep, &msg, is_multi ? FI_MULTI_RECV : 0);
}

static int send_message(gasneti_ofi_port *port, uint64_t to, const void *buffer, uint64_t bytes, uint64_t descriptor, void *context) {
  return (int)fi_send(port->ep, buffer, bytes, (void *)(uintptr_t)descriptor, to, context);
}

static int inject(gasneti_ofi_port *port, uint64_t to, const void *buffer, uint64_t bytes) { return (int)fi_inject(port->ep, buffer, bytes, to); }

static int write_memory(gasneti_ofi_port *port, uint64_t to, const void *src, uint64_t bytes, uint64_t descriptor, uint64_t at, uint64_t key,
                        int copied, void *context) {
  struct iovec part = {(void *)(uintptr_t)src, bytes};
  struct fi_rma_iov there = {.addr = at, .len = bytes, .key = key};
  void *descriptors = (void *)(uintptr_t)descriptor;
  struct fi_msg_rma msg = {.msg_iov = &part, .desc = &descriptors, .iov_count = 1, .addr = to, .rma_iov = &there, .rma_iov_count = 1, .context = context};
  return (int)fi_writemsg(port->ep, &msg, FI_COMPLETION | FI_DELIVERY_COMPLETE | (copied ? FI_INJECT : 0));
}

static int read_memory(gasneti_ofi_port *port, uint64_t from, void *dst, uint64_t bytes, uint64_t descriptor, uint64_t at, uint64_t key, void *context) {
  return (int)fi_read(port->ep, dst, bytes, (void *)(uintptr_t)descriptor, from, at, key, context);
}

/* GEX_DT_I32, U32, I64, U64. */
static const enum fi_datatype types[] = {FI_INT32, FI_UINT32, FI_INT64, FI_UINT64};
enum form { PLAIN, FETCHES, COMPARES };
static const struct { enum fi_op op; enum form form; } operations[] = {
  [GASNETI_OFI_FETCH] = {FI_ATOMIC_READ, FETCHES},
  [GASNETI_OFI_SET] = {FI_ATOMIC_WRITE, PLAIN},
  [GASNETI_OFI_SWAP] = {FI_ATOMIC_WRITE, FETCHES},
  [GASNETI_OFI_COMPARE_SWAP] = {FI_CSWAP, COMPARES},
  [GASNETI_OFI_FETCH_ADD] = {FI_SUM, FETCHES},
  [GASNETI_OFI_ADD] = {FI_SUM, PLAIN},
  [GASNETI_OFI_FETCH_AND] = {FI_BAND, FETCHES},
  [GASNETI_OFI_AND] = {FI_BAND, PLAIN},
  [GASNETI_OFI_FETCH_OR] = {FI_BOR, FETCHES},
  [GASNETI_OFI_OR] = {FI_BOR, PLAIN},
  [GASNETI_OFI_FETCH_XOR] = {FI_BXOR, FETCHES},
  [GASNETI_OFI_XOR] = {FI_BXOR, PLAIN},
  [GASNETI_OFI_FETCH_MULTIPLY] = {FI_PROD, FETCHES},
  [GASNETI_OFI_MULTIPLY] = {FI_PROD, PLAIN},
  [GASNETI_OFI_FETCH_LEAST] = {FI_MIN, FETCHES},
  [GASNETI_OFI_LEAST] = {FI_MIN, PLAIN},
  [GASNETI_OFI_FETCH_GREATEST] = {FI_MAX, FETCHES},
  [GASNETI_OFI_GREATEST] = {FI_MAX, PLAIN},
};

static int executes(gasneti_ofi_port *port, int type, int operation) {
  enum fi_datatype of = types[type];
  enum fi_op op = operations[operation].op;
  enum form form = operations[operation].form;
  size_t count = 0;
  int code = form == COMPARES  ? fi_compare_atomicvalid(port->ep, of, op, &count)
             : form == FETCHES ? fi_fetch_atomicvalid(port->ep, of, op, &count)
                               : fi_atomicvalid(port->ep, of, op, &count);
  return !code && count > 0;
}

static int atomic(gasneti_ofi_port *port, uint64_t to, int type, int operation, const void *operand, const void *compared, uint64_t descriptor,
                  void *result, uint64_t at, uint64_t key, void *context) {
  void *own = (void *)(uintptr_t)descriptor;
  enum fi_datatype of = types[type];
  enum fi_op op = operations[operation].op;
  enum form form = operations[operation].form;
  if (form == COMPARES) return (int)fi_compare_atomic(port->ep, operand, 1, own, compared, own, result, own, to, at, key, of, op, context);
  if (form == FETCHES) return (int)fi_fetch_atomic(port->ep, operand, 1, own, result, own, to, at, key, of, op, context);
  struct fi_ioc part = {(void *)(uintptr_t)operand, 1};
  struct fi_rma_ioc there = {.addr = at, .count = 1, .key = key};
  struct fi_msg_atomic msg = {.msg_iov = &part, .desc = &own, .iov_count = 1, .addr = to, .rma_iov = &there, .rma_iov_count = 1,
                              .datatype = of, .op = op, .context = context};
  return (int)fi_atomicmsg(port->ep, &msg, FI_COMPLETION | FI_DELIVERY_COMPLETE);
}

static int add_memory(gasneti_ofi_port *port, void *start, uint64_t bytes, int access, uint64_t wanted, struct gasneti_ofi_memory *memory) {
  struct fid_mr *mr = NULL;
  int64_t mode = mr_of(port->info);
  uint64_t may = 0;
  if (access & GASNETI_OFI_REMOTE_READ) may |= FI_REMOTE_READ;
  if (access & GASNETI_OFI_REMOTE_WRITE) may |= FI_REMOTE_WRITE;
  if (access & GASNETI_OFI_LOCAL) may |= FI_SEND | FI_RECV | FI_READ | FI_WRITE;
  if (access & GASNETI_OFI_LOCAL_SOURCE) may |= FI_SEND | FI_WRITE;
  int code = fi_mr_reg(port->domain, start, bytes, may, 0, mode & FI_MR_PROV_KEY ? 0 : wanted, 0, &mr, NULL);
  if (code) return code;
  if (mode & FI_MR_ENDPOINT) {
    code = fi_mr_bind(mr, &port->ep->fid, 0);
    if (!code) code = fi_mr_enable(mr);
  }
  if (!code && (mode & FI_MR_MMU_NOTIFY)) {
    struct iovec all = {start, bytes};
    code = fi_mr_refresh(mr, &all, 1, 0);
  }
  memory->object = (uint64_t)(uintptr_t)mr;
  memory->descriptor = (uint64_t)(uintptr_t)fi_mr_desc(mr);
  memory->base = mode & FI_MR_VIRT_ADDR ? 0 : (uint64_t)(uintptr_t)start;
  memory->key_bytes = sizeof(uint64_t);
  if (!code && (mode & FI_MR_RAW)) {
    /* The start that the provider names, then its key. */
    uint64_t first = 0;
    size_t room = sizeof memory->key - sizeof first;
    code = fi_mr_raw_attr(mr, &first, memory->key + sizeof first, &room, 0);
    memcpy(memory->key, &first, sizeof first);
    memory->key_bytes = (uint32_t)(room + sizeof first);
  } else if (!code) {
    uint64_t key = fi_mr_key(mr);
    /* Memory that only this rank uses needs none. */
    if (key == FI_KEY_NOTAVAIL && access & (GASNETI_OFI_REMOTE_READ | GASNETI_OFI_REMOTE_WRITE)) code = -FI_ENOKEY;
    memcpy(memory->key, &key, sizeof key);
  }
  if (code) fi_close(&mr->fid);
  return code;
}

static int end_memory(gasneti_ofi_port *port, uint64_t object) {
  (void)port;
  return fi_close(&((struct fid_mr *)(uintptr_t)object)->fid);
}

static int import_key(gasneti_ofi_port *port, const void *key, uint32_t bytes, uint64_t *word) {
  if (bytes < sizeof *word) return -FI_EINVAL;
  memcpy(word, key, sizeof *word);
  if (!(mr_of(port->info) & FI_MR_RAW)) return 0;
  return fi_mr_map_raw(port->domain, *word, (uint8_t *)(uintptr_t)key + sizeof *word, bytes - sizeof *word, word, 0);
}

static int poll_port(gasneti_ofi_port *port, struct gasneti_ofi_completion *to, int most) {
  struct fi_cq_data_entry found[MOST_COMPLETIONS];
  ssize_t count = fi_cq_read(port->cq, found, (size_t)(most < MOST_COMPLETIONS ? most : MOST_COMPLETIONS));
  if (count == -FI_EAGAIN) return 0;
  if (count == -FI_EAVAIL) {
    struct fi_cq_err_entry failed = {0};
    ssize_t got = fi_cq_readerr(port->cq, &failed, 0);
    if (got == -FI_EAGAIN) return 0;
    if (got < 0) return (int)got;
    /* It names no operation: any of them may be lost. */
    if (failed.err == FI_EOVERRUN) return -FI_EOVERRUN;
    to[0] = (struct gasneti_ofi_completion){.context = (uint64_t)(uintptr_t)failed.op_context, .error = failed.err ? failed.err : FI_EOTHER,
                                            .is_message = !!(failed.flags & FI_RECV), .is_released = !!(failed.flags & FI_MULTI_RECV)};
    return 1;
  }
  if (count < 0) return (int)count;
  for (ssize_t i = 0; i < count; i++) {
    int has_come = !!(found[i].flags & FI_RECV);
    to[i] = (struct gasneti_ofi_completion){.context = (uint64_t)(uintptr_t)found[i].op_context, .bytes = found[i].len,
                                            .buffer = (uint64_t)(uintptr_t)found[i].buf, .is_message = (uint16_t)has_come,
                                            .is_released = !!(found[i].flags & FI_MULTI_RECV)};
  }
  return (int)count;
}

static int may_sleep(gasneti_ofi_port *port) {
  struct fid *all[] = {&port->cq->fid};
  return port->wakes && fi_trywait(port->fabric, all, 1) == FI_SUCCESS;
}

static const struct gasneti_ofi_shim table = {
  .version = GASNETI_OFI_SHIM_VERSION,
  .bytes = sizeof table,
  .runs = runs,
  .error_text = error_text,
  .offers = offers,
  .open = open_port,
  .least_room = least_room,
  .insert = insert,
  .receive = receive,
  .send = send_message,
  .inject = inject,
  .write = write_memory,
  .read = read_memory,
  .executes = executes,
  .atomic = atomic,
  .add_memory = add_memory,
  .end_memory = end_memory,
  .import_key = import_key,
  .poll = poll_port,
  .may_sleep = may_sleep,
  .close = close_port,
};

__attribute__((visibility("default"))) const struct gasneti_ofi_shim *gasneti_ofi_shim(void) { return &table; }
