/* The floors of conduit ofi: the same transfers by libfabric itself, between two processes that this one forks. The provider is that of FI_PROVIDER or
 * the environment variable PROVIDER. */
#include "floors_library.h"
#include <rdma/fabric.h>
#include <rdma/fi_atomic.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { WINDOW = 64, MOST = 4 << 20 };
static int me, channel;
static char *mine, *theirs;
static struct fid_ep *ep;
static struct fid_cq *cq;
static struct fid_mr *mr;
static fi_addr_t peer;
static uint64_t key, base;
static size_t inject_size;
static void *descriptor;

static void must(const char *what, ssize_t code) {
  if (code >= 0) return;
  fprintf(stderr, "floors_ofi: %s: %s\n", what, fi_strerror((int)-code));
  exit(1);
}

/* Waits for `count` completions. */
static void complete(int count) {
  struct fi_cq_entry done[WINDOW];
  while (count > 0) {
    ssize_t got = fi_cq_read(cq, done, (size_t)(count < WINDOW ? count : WINDOW));
    if (got == -FI_EAGAIN) continue;
    must("fi_cq_read", got);
    count -= (int)got;
  }
}

#define SURELY(call) do { ssize_t code_; while ((code_ = (call)) == -FI_EAGAIN) { struct fi_cq_entry one_; if (fi_cq_read(cq, &one_, 0) < -FI_EAGAIN) break; } must(#call, code_); } while (0)

/* Whether a completion comes. */
static int send_one(int bytes) {
  if ((size_t)bytes <= inject_size) {
    SURELY(fi_inject(ep, mine, (size_t)bytes, peer));
    return 0;
  }
  SURELY(fi_send(ep, mine, (size_t)bytes, descriptor, peer, NULL));
  return 1;
}

static void receive_one(int bytes, int slot) {
  size_t step = bytes <= 65536 ? (size_t)bytes : 0;
  SURELY(fi_recv(ep, theirs + (size_t)slot * step, (size_t)bytes, descriptor, FI_ADDR_UNSPEC, NULL));
}

static void pingpong(int n, int bytes) {
  receive_one(bytes, 0);
  for (int i = 0; i < n; i++) {
    if (me == 0) complete(send_one(bytes) + 1);
    else complete(1);
    if (i + 1 < n || me == 1) receive_one(bytes, 0);
    if (me == 1) complete(send_one(bytes));
  }
  /* The receive that is left over gets one more message. */
  if (me == 0) complete(send_one(bytes));
  else complete(1);
}

static void flood(int n, int bytes) {
  for (int from = 0; from < n; from += WINDOW) {
    int completions = 0;
    if (me == 1) for (int i = 0; i < WINDOW; i++) receive_one(bytes, i);
    for (int i = 0; i < WINDOW; i++) completions += me == 0 ? send_one(bytes) : 1;
    complete(completions);
    /* One message back for each window: receives are posted. */
    if (me == 0) { receive_one(8, 0); complete(1); }
    else complete(send_one(8));
  }
}

static void write_one(int bytes) {
  struct iovec part = {mine, (size_t)bytes};
  struct fi_rma_iov there = {.addr = base, .len = (size_t)bytes, .key = key};
  struct fi_msg_rma msg = {.msg_iov = &part, .desc = &descriptor, .iov_count = 1, .addr = peer, .rma_iov = &there, .rma_iov_count = 1};
  SURELY(fi_writemsg(ep, &msg, FI_COMPLETION | FI_DELIVERY_COMPLETE));
}

static void read_one(int bytes) { SURELY(fi_read(ep, mine, (size_t)bytes, descriptor, peer, base, key, NULL)); }

static void put(int n, int bytes) {
  for (int i = 0; me == 0 && i < n; i++) write_one(bytes), complete(1);
}

static void get(int n, int bytes) {
  for (int i = 0; me == 0 && i < n; i++) read_one(bytes), complete(1);
}

static void puts_at_once(int n, int bytes) {
  int waiting = 0;
  for (int i = 0; me == 0 && i < n; i++) {
    write_one(bytes);
    if (++waiting == WINDOW) complete(1), waiting--;
  }
  complete(waiting);
}

static void gets_at_once(int n, int bytes) {
  int waiting = 0;
  for (int i = 0; me == 0 && i < n; i++) {
    read_one(bytes);
    if (++waiting == WINDOW) complete(1), waiting--;
  }
  complete(waiting);
}

static void fetch_add(int n, int bytes) {
  static uint64_t one = 1, found;
  (void)bytes;
  for (int i = 0; me == 0 && i < n; i++) {
    SURELY(fi_fetch_atomic(ep, &one, 1, NULL, &found, NULL, peer, base, key, FI_UINT64, FI_SUM, NULL));
    complete(1);
  }
}

static const struct library_floor floors[] = {
    {"ofi-pingpong", pingpong}, {"ofi-flood", flood}, {"ofi-put", put}, {"ofi-get", get}, {"ofi-puts", puts_at_once},
    {"ofi-gets", gets_at_once}, {"ofi-fetch-add", fetch_add},
};

static void swap(const void *ours, void *other, size_t bytes) {
  if (write(channel, ours, bytes) != (ssize_t)bytes || recv(channel, other, bytes, MSG_WAITALL) != (ssize_t)bytes) exit(1);
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* The peer that has nothing to do makes progress until the other one is done. */
static void meet(void) {
  char word = 1;
  if (write(channel, &word, 1) != 1) exit(1);
  for (;;) {
    struct fi_cq_entry one;
    ssize_t got = recv(channel, &word, 1, MSG_DONTWAIT);
    if (got == 1) return;
    if (got == 0) exit(1);
    fi_cq_read(cq, &one, 0);
  }
}

static double seconds(void (*run)(int, int), int n, int bytes) {
  double start, took, other;
  meet();
  start = now();
  run(n, bytes);
  meet();
  took = now() - start;
  swap(&took, &other, sizeof took);
  return me == 0 ? took : other;
}

int main(int argc, char **argv) {
  struct floor_wish wish;
  int pair[2];
  size_t bytes = 256;
  char ours[256] = "", address[256];
  struct fi_info *hints = fi_allocinfo(), *info;
  struct fid_fabric *fabric;
  struct fid_domain *domain;
  struct fid_av *av;
  if (!floor_wish(&wish, argc, argv, floors, sizeof floors / sizeof *floors, MOST)) return 2;
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair)) return 1;
  me = fork() == 0;
  channel = pair[me];
  close(pair[!me]);
  hints->caps = FI_MSG | FI_RMA | (strstr(wish.floor->name, "add") ? FI_ATOMIC : 0);
  hints->mode = FI_CONTEXT;
  hints->ep_attr->type = FI_EP_RDM;
  hints->domain_attr->mr_mode = FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY;
  hints->domain_attr->threading = FI_THREAD_DOMAIN;
  if (getenv("PROVIDER")) hints->fabric_attr->prov_name = strdup(getenv("PROVIDER"));
  must("fi_getinfo", fi_getinfo(FI_VERSION(1, 9), getenv("PROVIDER") && strstr(getenv("PROVIDER"), "shm") ? NULL : "127.0.0.1", NULL, FI_SOURCE, hints, &info));
  inject_size = info->tx_attr->inject_size;
  must("fi_fabric", fi_fabric(info->fabric_attr, &fabric, NULL));
  must("fi_domain", fi_domain(fabric, info, &domain, NULL));
  must("fi_av_open", fi_av_open(domain, &(struct fi_av_attr){.type = info->domain_attr->av_type}, &av, NULL));
  must("fi_cq_open", fi_cq_open(domain, &(struct fi_cq_attr){.format = FI_CQ_FORMAT_CONTEXT, .size = 4096}, &cq, NULL));
  must("fi_endpoint", fi_endpoint(domain, info, &ep, NULL));
  must("fi_ep_bind", fi_ep_bind(ep, &av->fid, 0));
  must("fi_ep_bind", fi_ep_bind(ep, &cq->fid, FI_TRANSMIT | FI_RECV));
  must("fi_enable", fi_enable(ep));
  must("fi_getname", fi_getname(&ep->fid, ours, &bytes));
  swap(ours, address, sizeof ours);
  if (fi_av_insert(av, address, 1, &peer, 0, NULL) != 1) return 1;
  mine = calloc(1, MOST), theirs = calloc(1, MOST * 2);
  must("fi_mr_reg", fi_mr_reg(domain, theirs, MOST * 2, FI_REMOTE_READ | FI_REMOTE_WRITE | FI_READ | FI_WRITE | FI_SEND | FI_RECV, 0, 7, 0, &mr, NULL));
  uint64_t here[2] = {fi_mr_key(mr), info->domain_attr->mr_mode & FI_MR_VIRT_ADDR ? (uint64_t)(uintptr_t)theirs : 0}, there[2];
  swap(here, there, sizeof here);
  key = there[0], base = there[1];
  measure_floor(&wish, me, seconds);
  if (me == 0) wait(NULL);
  return 0;
}
