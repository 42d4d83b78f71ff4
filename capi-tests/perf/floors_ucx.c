/* The floors of conduit ucx: the same transfers by UCP itself, between two processes of this machine that this program forks. */
#define _GNU_SOURCE
#include "floors_library.h"
#include <sched.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <ucp/api/ucp.h>
#include <unistd.h>

enum { WINDOW = 64, MOST = 4 << 20 };
enum { DATA, SYNC, RESULT };
static int me, other;
static ucp_context_h context;
static ucp_worker_h worker;
static ucp_ep_h ep;
static ucp_rkey_h rkey;
static char *mine, *theirs, *buffer;
static uint64_t there;
static long received, syncs, bulk_in_flight;
static double result;
static int has_result;

static void check(ucs_status_t status, const char *what) {
  if (status == UCS_OK) return;
  fprintf(stderr, "floors_ucx: %s: %s\n", what, ucs_status_string(status));
  exit(1);
}

/* Leaves the processor to others only when nothing has come for long. */
static void progress(void) {
  static unsigned in_vain;
  if (ucp_worker_progress(worker)) in_vain = 0;
  else if (++in_vain % 2048 == 0) sched_yield();
}

static void wait_for(ucs_status_ptr_t request) {
  if (!request) return;
  if (UCS_PTR_IS_ERR(request)) check(UCS_PTR_STATUS(request), "an operation");
  while (ucp_request_check_status(request) == UCS_INPROGRESS) progress();
  ucp_request_free(request);
}

static void on_bulk(void *request, ucs_status_t status, size_t bytes, void *user) {
  (void)bytes, (void)user;
  check(status, "a receive");
  received++, bulk_in_flight--;
  ucp_request_free(request);
}

static ucs_status_t on_message(void *arg, const void *header, size_t header_bytes, void *data, size_t bytes, const ucp_am_recv_param_t *param) {
  (void)header, (void)header_bytes;
  switch ((int)(intptr_t)arg) {
  case SYNC: syncs++; break;
  case RESULT: memcpy(&result, data, sizeof result), has_result = 1; break;
  default:
    if (param->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV) {
      ucp_request_param_t receive = {.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK, .cb.recv_am = on_bulk};
      void *request = ucp_am_recv_data_nbx(worker, data, buffer, bytes, &receive);
      if (!request) received++;
      else if (UCS_PTR_IS_ERR(request)) check(UCS_PTR_STATUS(request), "a receive");
      else bulk_in_flight++;
      return UCS_INPROGRESS;
    }
    received++;
  }
  return UCS_OK;
}

static const ucp_request_param_t plain;

static void *begin(int id, const void *data, size_t bytes) { return ucp_am_send_nbx(ep, (unsigned)id, NULL, 0, data, bytes, &plain); }

static void until(long *count, long value) {
  while (*count < value) progress();
}

static void synchronize(void) {
  static long mine_so_far;
  wait_for(begin(SYNC, NULL, 0));
  until(&syncs, ++mine_so_far);
}

static void pingpong(int n, int bytes) {
  long before = received;
  for (int i = 0; i < n; i++) {
    if (me == 0) wait_for(begin(DATA, mine, (size_t)bytes));
    until(&received, before + i + 1);
    if (me == 1) wait_for(begin(DATA, mine, (size_t)bytes));
  }
}

static void flood(int n, int bytes) {
  void *all[WINDOW];
  long before = received;
  for (int i = 0; me == 0 && i < n; i++) {
    if (i >= WINDOW) wait_for(all[i % WINDOW]);
    all[i % WINDOW] = begin(DATA, mine, (size_t)bytes);
  }
  for (int i = n > WINDOW ? n - WINDOW : 0; me == 0 && i < n; i++) wait_for(all[i % WINDOW]);
  if (me == 1) until(&received, before + n);
}

static void flush(void) { wait_for(ucp_ep_flush_nbx(ep, &plain)); }

static void put(int n, int bytes) {
  for (int i = 0; me == 0 && i < n; i++) {
    wait_for(ucp_put_nbx(ep, mine, (size_t)bytes, there, rkey, &plain));
    flush();
  }
}

static void get(int n, int bytes) {
  for (int i = 0; me == 0 && i < n; i++) wait_for(ucp_get_nbx(ep, mine, (size_t)bytes, there, rkey, &plain));
}

static void at_once(int n, int bytes, int gets) {
  void *all[WINDOW] = {NULL};
  for (int i = 0; i < n; i++) {
    wait_for(all[i % WINDOW]);
    all[i % WINDOW] = gets ? ucp_get_nbx(ep, mine, (size_t)bytes, there, rkey, &plain) : ucp_put_nbx(ep, mine, (size_t)bytes, there, rkey, &plain);
  }
  for (int i = 0; i < WINDOW; i++) wait_for(all[i]);
  flush();
}

static void puts_at_once(int n, int bytes) {
  if (me == 0) at_once(n, bytes, 0);
}

static void gets_at_once(int n, int bytes) {
  if (me == 0) at_once(n, bytes, 1);
}

static void fetch_add(int n, int bytes) {
  (void)bytes;
  for (int i = 0; me == 0 && i < n; i++) {
    uint64_t one = 1, before;
    ucp_request_param_t param = {
      .op_attr_mask = UCP_OP_ATTR_FIELD_DATATYPE | UCP_OP_ATTR_FIELD_REPLY_BUFFER, .datatype = ucp_dt_make_contig(8), .reply_buffer = &before};
    wait_for(ucp_atomic_op_nbx(ep, UCP_ATOMIC_OP_ADD, &one, 1, there, rkey, &param));
  }
}

static const struct library_floor floors[] = {
    {"ucx-pingpong", pingpong}, {"ucx-flood", flood}, {"ucx-put", put}, {"ucx-get", get}, {"ucx-puts", puts_at_once}, {"ucx-gets", gets_at_once}, {"ucx-fetch-add", fetch_add},
};

static double now(void) {
  struct timespec at;
  clock_gettime(CLOCK_MONOTONIC, &at);
  return (double)at.tv_sec + 1e-9 * (double)at.tv_nsec;
}

static double seconds(void (*run)(int, int), int n, int bytes) {
  synchronize();
  double start = now();
  run(n, bytes);
  synchronize();
  double took = now() - start;
  if (me == 0) {
    wait_for(begin(RESULT, &took, sizeof took));
    return took;
  }
  while (!has_result) progress();
  has_result = 0;
  return result;
}

/* Sends bytes to the other process, and returns those that it sends. */
static void *exchange(const void *bytes, size_t count) {
  size_t theirs_count;
  if (write(other, &count, sizeof count) != sizeof count || write(other, bytes, count) != (ssize_t)count) exit(1);
  if (read(other, &theirs_count, sizeof theirs_count) != sizeof theirs_count) exit(1);
  char *got = malloc(theirs_count);
  for (size_t at = 0; at < theirs_count;) {
    ssize_t more = read(other, got + at, theirs_count - at);
    if (more <= 0) exit(1);
    at += (size_t)more;
  }
  return got;
}

int main(int argc, char **argv) {
  struct floor_wish wish;
  int pair[2];
  if (!floor_wish(&wish, argc, argv, floors, sizeof floors / sizeof *floors, MOST)) return 2;
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair)) return 1;
  pid_t child = fork();
  me = child == 0;
  other = pair[me];
  close(pair[!me]);
  ucp_params_t params = {.field_mask = UCP_PARAM_FIELD_FEATURES, .features = UCP_FEATURE_AM | UCP_FEATURE_RMA | UCP_FEATURE_AMO64};
  check(ucp_init(&params, NULL, &context), "ucp_init");
  ucp_worker_params_t of_worker = {.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE, .thread_mode = UCS_THREAD_MODE_SINGLE};
  check(ucp_worker_create(context, &of_worker, &worker), "ucp_worker_create");
  for (int id = DATA; id <= RESULT; id++) {
    ucp_am_handler_param_t handler = {
      .field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_CB | UCP_AM_HANDLER_PARAM_FIELD_ARG,
      .id = (unsigned)id, .cb = on_message, .arg = (void *)(intptr_t)id};
    check(ucp_worker_set_am_recv_handler(worker, &handler), "ucp_worker_set_am_recv_handler");
  }
  ucp_address_t *address;
  size_t bytes;
  check(ucp_worker_get_address(worker, &address, &bytes), "ucp_worker_get_address");
  ucp_ep_params_t of_ep = {.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS, .address = exchange(address, bytes)};
  check(ucp_ep_create(worker, &of_ep, &ep), "ucp_ep_create");
  mine = calloc(1, MOST), theirs = aligned_alloc(4096, MOST), buffer = calloc(1, MOST);
  memset(theirs, 0, MOST);
  ucp_mem_map_params_t map = {.field_mask = UCP_MEM_MAP_PARAM_FIELD_ADDRESS | UCP_MEM_MAP_PARAM_FIELD_LENGTH, .address = theirs, .length = MOST};
  ucp_mem_h memory;
  check(ucp_mem_map(context, &map, &memory), "ucp_mem_map");
  void *packed;
  check(ucp_rkey_pack(context, memory, &packed, &bytes), "ucp_rkey_pack");
  check(ucp_ep_rkey_unpack(ep, exchange(packed, bytes), &rkey), "ucp_ep_rkey_unpack");
  there = *(uint64_t *)exchange(&(uint64_t){(uintptr_t)theirs}, 8);
  measure_floor(&wish, me, seconds);
  synchronize();
  fflush(NULL);
  if (me == 0) waitpid(child, NULL, 0);
  _exit(0);
}
